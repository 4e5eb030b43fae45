import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";
import type { CartComplements } from "./cart-complements.js";

const FORMAT = 1;

export function encodeCartComplements(cart: CartComplements): Section {
  return {
    formatNumber: FORMAT,
    numbers: { productCount: cart.productCount, neighbours: cart.neighbours },
    arrays: {
      basketOffsets: cart.baskets.offsets,
      basketItems: cart.baskets.items,
      basketWeights: cart.basketWeights,
      basketNorms: cart.basketNorms,
      idf: cart.idf,
      postingOffsets: cart.postings.offsets,
      postings: cart.postings.items,
      ridgeOffsets: cart.ridge.products.offsets,
      ridgeProducts: cart.ridge.products.items,
      ridgeWeights: cart.ridge.weights,
    },
  };
}

/** Throws an Error for a section of another format, with a part missing or with rows that do not fit each other. */
export function decodeCartComplements(section: Section): CartComplements {
  const read = createSectionReader("Cart complements", FORMAT, section);
  const productCount = read.number("productCount");
  const basketWeights = read.float32("basketWeights");
  const baskets = { offsets: read.uint32("basketOffsets"), items: read.uint32("basketItems") };
  const postings = { offsets: read.uint32("postingOffsets"), items: read.uint32("postings") };
  const products = { offsets: read.uint32("ridgeOffsets"), items: read.uint32("ridgeProducts") };
  read.rows("basketOffsets", basketWeights.length, baskets.items.length);
  read.rows("postingOffsets", productCount, postings.items.length);
  read.rows("ridgeOffsets", productCount, products.items.length);
  return {
    productCount,
    neighbours: read.number("neighbours"),
    baskets,
    basketWeights,
    basketNorms: read.float32("basketNorms"),
    idf: read.float32("idf"),
    postings,
    ridge: { products, weights: read.float32("ridgeWeights") },
  };
}
