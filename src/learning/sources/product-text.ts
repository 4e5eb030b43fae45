import type { Product } from "../../domain/product.js";
import type { ProductText } from "../text/embedder.js";

/** What an embedder reads of a product. */
export function productText(product: Product): ProductText {
  return {
    title: product.title,
    description: product.description,
    brand: product.brand,
    categories: product.categories.map((category) => category.name || category.categoryId),
  };
}
