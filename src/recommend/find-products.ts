/** Products whose texts are near a text, by the model's own space of texts. */
import type { Now } from "../domain/clock.js";
import { isShown, type Product } from "../domain/product.js";
import { createTopK } from "../learning/common/top-k.js";
import type { ServingModel } from "../learning/sources/source.js";
import type { WatchedCatalog } from "./products/catalog.js";
import type { LiveLayer } from "./products/new-product-watch.js";

export interface FoundProduct {
  readonly product: Product;
  /** Cosine similarity, above 0. */
  readonly similarity: number;
}

export interface FindProductsQuery {
  readonly appId: string;
  readonly text: string;
  readonly count: number;
  readonly includeUnavailable: boolean;
}

/** Without a model that knows texts, and for a text of unknown words alone, nothing is found. */
export type FindProducts = (
  query: FindProductsQuery,
) => Promise<{ readonly found: readonly FoundProduct[]; readonly modelId: string }>;

export function createFindProducts(deps: {
  readonly catalogOf: (appId: string) => Promise<WatchedCatalog>;
  readonly modelOf: (appId: string) => Promise<{ readonly model: ServingModel } | undefined>;
  readonly liveOf: LiveLayer["of"];
  readonly now: Now;
}): FindProducts {
  const best = createTopK();
  return async ({ appId, text, count, includeUnavailable }) => {
    const [catalog, serving] = await Promise.all([deps.catalogOf(appId), deps.modelOf(appId)]);
    if (serving === undefined) return { found: [], modelId: "" };
    const { model } = serving;
    const direction = model.placing?.place({ title: text, description: "", brand: "", categories: [] });
    const { vectorOf } = model;
    if (direction === undefined || vectorOf === undefined) return { found: [], modelId: model.modelId };
    const now = deps.now();
    const shown = (productId: string): Product | undefined => {
      const product = catalog.get(productId);
      if (product === undefined || !isShown(product, now)) return undefined;
      if (product.title === "" && catalog.hasTitles) return undefined;
      return product.available || includeUnavailable ? product : undefined;
    };
    best.reset(count);
    for (const [index, productId] of model.productIds.entries()) {
      const similarity = cosine(direction, vectorOf(index));
      if (similarity > 0 && shown(productId) !== undefined) best.offer(index, similarity);
    }
    const { indices, scores } = best.take();
    const known = Array.from(indices, (index, i) => ({ productId: model.productIds[index]!, score: scores[i]! }));
    const live = deps.liveOf(appId, catalog, model)?.near(direction, count, (id) => shown(id) !== undefined) ?? [];
    const found = [...known, ...live]
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .flatMap(({ productId, score }) => {
        const product = shown(productId);
        return product === undefined ? [] : [{ product, similarity: score }];
      });
    return { found, modelId: model.modelId };
  };
}

function cosine(direction: Float32Array, vector: Float32Array | undefined): number {
  if (vector === undefined) return 0;
  let sum = 0;
  for (let d = 0; d < direction.length; d++) sum += direction[d]! * vector[d]!;
  return sum;
}
