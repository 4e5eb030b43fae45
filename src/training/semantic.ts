import { embedAll, fitEmbedder, type ProductText } from "../algorithms/embedder.js";
import type { Product } from "../domain/product.js";
import type { SemanticModel } from "../model/snapshot.js";
import type { VectorIndexes } from "../ports/vector-index.js";

/** Recall@10 against exact search stays above 0.98 with these on every catalogue it was measured on. */
const INDEX = { m: 16, efConstruction: 200, efSearch: 150 } as const;

/** Undefined when the texts have nothing in common: then no text is near another. */
export function fitSemantic(
  texts: readonly ProductText[],
  indexes: VectorIndexes,
  seed: number,
): SemanticModel | undefined {
  const embedder = fitEmbedder(texts, { seed });
  const { vectors, rows, dimensions } = embedAll(embedder, texts);
  if (dimensions === 0 || rows.length === 0) return undefined;
  const index = indexes.build(vectors, dimensions, { ...INDEX, seed });
  return { embedder, rows, vectors, index };
}

/** What an embedder reads of a product. */
export function productText(product: Product): ProductText {
  return {
    title: product.title,
    description: product.description,
    brand: product.brand,
    categories: product.categories.map((category) => category.name || category.categoryId),
  };
}
