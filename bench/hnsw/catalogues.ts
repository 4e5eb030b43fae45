/** Vectors of products' texts as a training makes them, of real catalogues and of made-up shops. */

import { productText } from "../../src/learning/model/product-text.js";
import { embedAll, fitEmbedder, type ProductText } from "../../src/learning/text/embedder.js";
import { drawToNeighbours } from "../../src/learning/text/text-neighbours.js";
import { type CatalogueName, readCatalogue } from "../../test/fixtures/shared-catalogue.js";
import { shopProducts } from "../train/shop.js";

export const SEED = 1;
export const CATALOGUES: readonly CatalogueName[] = ["adidas", "flipkart_1050", "gift_cards", "myntra"];

export interface Catalogue {
  readonly name: string;
  /** Products with a vector. */
  readonly count: number;
  readonly dimensions: number;
  /** One unit vector after the other. */
  readonly vectors: Float32Array;
}

/** Undefined when the shared data is not there. */
export function realCatalogue(name: CatalogueName): Catalogue | undefined {
  const products = readCatalogue(name);
  if (products === undefined) return undefined;
  const texts = products.map(({ title, description, brand, category }) => ({
    title,
    description,
    brand,
    categories: category,
  }));
  return embedded(name, texts);
}

export function madeUpShop(products: number): Catalogue {
  return embedded(`made up, ${products.toLocaleString("en")}`, shopProducts(products).map(productText));
}

function embedded(name: string, texts: readonly ProductText[]): Catalogue {
  const { vectors, rows, dimensions } = drawToNeighbours(embedAll(fitEmbedder(texts, { seed: SEED }), texts));
  return { name, count: rows.length, dimensions, vectors };
}
