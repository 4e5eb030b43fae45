/**
 * Finds past baskets similar to a cart: "basket kNN with IDF", the session kNN of Jannach and Ludewig (RecSys 2017)
 * applied to carts. Similarity is (IDF of shared products / (IDF of the basket)^0.6)^2 * weight of the basket.
 */
import type { Candidates } from "../../common/candidates.js";
import { rowCount } from "../../common/rows.js";
import { createTopK } from "../../common/top-k.js";
import type { CartComplements } from "./complements.js";

/** Postings read for one cart, the same number for each of its products, newest first. */
const QUERY_POSTINGS = 30_000;

export type BasketSearch = (inCart: readonly number[]) => Candidates;

/**
 * Returns a function that finds the most similar baskets with their similarities; among equal ones the later. Pass it
 * known products, each once and in a fixed order. It keeps 12 bytes of scratch space a basket.
 */
export function createBasketSearch(cart: CartComplements): BasketSearch {
  const shared = new Float64Array(rowCount(cart.baskets));
  const met = new Uint32Array(shared.length);
  const top = createTopK();
  return (inCart) => {
    let count = 0;
    const each = Math.max(1, Math.floor(QUERY_POSTINGS / Math.max(1, inCart.length)));
    for (const item of inCart) {
      const idf = cart.idf[item]!;
      const end = cart.postings.offsets[item + 1]!;
      for (let i = Math.max(cart.postings.offsets[item]!, end - each); i < end; i++) {
        const basket = cart.postings.items[i]!;
        if (shared[basket] === 0) met[count++] = basket;
        shared[basket]! += idf;
      }
    }
    top.reset(cart.neighbours);
    for (let m = 0; m < count; m++) {
      const basket = met[m]!;
      const part = shared[basket]! / cart.basketNorms[basket]!;
      top.offer(basket, part * part * cart.basketWeights[basket]!);
      shared[basket] = 0;
    }
    return top.take();
  };
}
