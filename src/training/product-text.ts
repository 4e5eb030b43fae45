import type { Product } from "../domain/product.js";

/** What is said about a product, as the embedder reads it. */
export interface ProductText {
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  readonly categories: readonly string[];
}

export function productText(product: Product): ProductText {
  return {
    title: product.title,
    description: product.description,
    brand: product.brand,
    categories: product.categories.map((category) => category.name || category.categoryId),
  };
}
