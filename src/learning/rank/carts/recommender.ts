/**
 * Answers from a fitted cart ranking: what completes a cart, and what a returning customer orders next. Scores are the
 * softmax over the candidates when trees lead, so that they compare like shares; else the leading source's own.
 */
import type { Candidates } from "../../common/candidates.js";
import { NO_CANDIDATES } from "../../common/candidates.js";
import { createTopK } from "../../common/top-k.js";
import { softmaxInPlace } from "../trees/forest-scorer.js";
import { type CartQuestion, type CartSources, createCartCandidates } from "./candidates.js";
import { CART_FEATURES } from "./features.js";
import type { Purchases } from "./purchases.js";
import { type CartOrder, type CartRanking, createLeadScorer, type LeadScorer } from "./ranking.js";

export interface CartRecommender {
  /** The k products that complete the cart best, never one of it. Products outside the catalogue are ignored. */
  complements(cart: Uint32Array, k: number): Candidates;
  /** The k products a customer with these purchases orders next; with `repeats`, also what was bought before. */
  nextOrder(purchases: Purchases, k: number, repeats: boolean): Candidates;
}

/** Not for use by two at a time: it keeps its scratch space. Some 100 candidates are known for any question. */
export function createCartRecommender(sources: CartSources, ranking: CartRanking): CartRecommender {
  const candidatesOf = createCartCandidates(sources);
  const top = createTopK();

  const [ofCart, ofCustomer] = [scoresBy(ranking.cart), scoresBy(ranking.customer)];

  function answer(question: CartQuestion, scoresOf: LeadScorer, k: number, leftOut: ReadonlySet<number>): Candidates {
    const { count, products, rows } = candidatesOf(question);
    if (count === 0) return NO_CANDIDATES;
    const scores = scoresOf(rows.subarray(0, count * CART_FEATURES.length));
    top.reset(k);
    for (let c = 0; c < count; c++) {
      if (scores[c]! > 0 && !leftOut.has(products[c]!)) top.offer(products[c]!, scores[c]!);
    }
    return top.take();
  }

  return {
    complements: (items, k) => answer({ items }, ofCart, k, NONE),
    nextOrder: (purchases, k, repeats) =>
      answer({ items: purchases.products, purchases }, ofCustomer, k, repeats ? NONE : new Set(purchases.products)),
  };
}

const NONE: ReadonlySet<number> = new Set();

function scoresBy({ lead, forest }: CartOrder): LeadScorer {
  const scoresOf = createLeadScorer(lead, forest);
  if (lead !== "trees") return scoresOf;
  return (rows) => {
    const scores = scoresOf(rows);
    softmaxInPlace(scores, scores.length);
    return scores;
  };
}
