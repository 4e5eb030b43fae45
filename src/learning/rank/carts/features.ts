/** The features of cart candidates, as rows of numbers. */
import { createTopK } from "../../common/top-k.js";
import type { CartSales } from "../../sources/carts/sales.js";
import type { CartEvidence } from "./evidence.js";
import type { Purchases } from "./purchases.js";

/**
 * The numbers a cart ranking knows of a candidate, in the order of a row's columns. Of each source the sum over the
 * products asked with, the most that one of them says, and the rank among the candidates; then sales, of the candidate
 * (shares of orders, days since the first and the last) and of what was asked with; last the customer's own purchases.
 */
export const CART_FEATURES = [
  "ridge",
  "ridge_share",
  "ridge_rank",
  "ridge_most",
  "ridge_last",
  "neighbours",
  "neighbours_share",
  "neighbours_rank",
  "confidence",
  "confidence_rank",
  "cosine",
  "cosine_most",
  "antecedents",
  "near",
  "near_most",
  "near_rank",
  "asked_with",
  "overall",
  "days_90",
  "days_30",
  "days_7",
  "trend_30",
  "trend_7",
  "first_days",
  "last_days",
  "asked_overall",
  "asked_trend",
  "times_bought",
  "days_since_bought",
  "orders",
] as const;

/** Keeps trends of rarely ordered products near 1. */
const TREND_PRIOR = 1e-4;
const WIDTH = CART_FEATURES.length;

export class CartFeatureRows {
  /** One row a candidate. */
  readonly rows: Float32Array;
  readonly #sales: CartSales;
  readonly #top = createTopK();
  #at = 0;

  constructor(maxCandidates: number, sales: CartSales) {
    this.rows = new Float32Array(maxCandidates * WIDTH);
    this.#sales = sales;
  }

  /** @param items The query products. */
  write(
    products: Uint32Array,
    evidence: CartEvidence,
    items: readonly number[],
    purchases: Purchases | undefined,
  ): void {
    const { ridge, share, confidence, near } = evidence;
    const best = { ridge: mostOf(products, ridge), share: mostOf(products, share) };
    const asked = this.#salesOf(items);
    this.#at = 0;
    for (const product of products) {
      this.#putEvidence(product, evidence, best);
      this.#put(items.length);
      this.#putSales(product);
      this.#put(asked.overall);
      this.#put(trend(asked.days30, asked.overall));
      this.#putNotBought(purchases?.orders ?? 0);
    }
    if (purchases !== undefined) this.#writePurchases(products, purchases);
    this.#writeRanks(products, ridge, RIDGE_RANK);
    this.#writeRanks(products, share, NEIGHBOURS_RANK);
    this.#writeRanks(products, confidence, CONFIDENCE_RANK);
    this.#writeRanks(products, near, NEAR_RANK);
  }

  #put(value: number): void {
    this.rows[this.#at++] = value;
  }

  /** Ranks are written last, column by column. */
  #putEvidence(
    product: number,
    evidence: CartEvidence,
    best: { readonly ridge: number; readonly share: number },
  ): void {
    this.#put(evidence.ridge[product]!);
    this.#put(evidence.ridge[product]! / best.ridge);
    this.#put(0);
    this.#put(evidence.ridgeMost[product]!);
    this.#put(evidence.ridgeLast[product]!);
    this.#put(evidence.share[product]!);
    this.#put(evidence.share[product]! / best.share);
    this.#put(0);
    this.#put(evidence.confidence[product]!);
    this.#put(0);
    this.#put(evidence.cosine[product]!);
    this.#put(evidence.cosineMost[product]!);
    this.#put(evidence.antecedents[product]!);
    this.#put(evidence.near[product]!);
    this.#put(evidence.nearMost[product]!);
    this.#put(0);
  }

  #putSales(product: number): void {
    const { overall, days90, days30, days7, firstDays, lastDays } = this.#sales;
    this.#put(overall[product]!);
    this.#put(days90[product]!);
    this.#put(days30[product]!);
    this.#put(days7[product]!);
    this.#put(trend(days30[product]!, overall[product]!));
    this.#put(trend(days7[product]!, days30[product]!));
    this.#put(firstDays[product]!);
    this.#put(lastDays[product]!);
  }

  /** Never bought, -1 days ago. */
  #putNotBought(orders: number): void {
    this.#put(0);
    this.#put(-1);
    this.#put(orders);
  }

  /** Means over the query products. */
  #salesOf(items: readonly number[]): { readonly overall: number; readonly days30: number } {
    let overall = 0;
    let days30 = 0;
    for (const item of items) {
      overall += this.#sales.overall[item]! / items.length;
      days30 += this.#sales.days30[item]! / items.length;
    }
    return { overall, days30 };
  }

  #writePurchases(products: Uint32Array, { products: bought, times, days }: Purchases): void {
    const rowOf = new Map(Array.from(products, (product, row) => [product, row]));
    for (let i = 0; i < bought.length; i++) {
      const row = rowOf.get(bought[i]!);
      if (row === undefined) continue;
      this.rows[row * WIDTH + TIMES_BOUGHT] = times[i]!;
      this.rows[row * WIDTH + DAYS_SINCE_BOUGHT] = days[i]!;
    }
  }

  /** Ranks from 0 by falling score; candidates without a score share the last rank. */
  #writeRanks(products: Uint32Array, scores: ArrayLike<number>, column: number): void {
    const { rows } = this;
    this.#top.reset(products.length);
    for (let c = 0; c < products.length; c++) {
      rows[c * WIDTH + column] = products.length;
      const score = scores[products[c]!]!;
      if (score !== 0) this.#top.offer(c, score);
    }
    const ranked = this.#top.take().indices;
    for (let rank = 0; rank < ranked.length; rank++) rows[ranked[rank]! * WIDTH + column] = rank;
  }
}

/** The greatest score, above 0 so that scores can be divided by it. */
function mostOf(products: Uint32Array, scores: Float64Array): number {
  let most = 1e-9;
  for (const product of products) most = Math.max(most, scores[product]!);
  return most;
}

function trend(lately: number, before: number): number {
  return (lately + TREND_PRIOR) / (before + TREND_PRIOR);
}

const RIDGE_RANK = CART_FEATURES.indexOf("ridge_rank");
const NEIGHBOURS_RANK = CART_FEATURES.indexOf("neighbours_rank");
const NEAR_RANK = CART_FEATURES.indexOf("near_rank");
const CONFIDENCE_RANK = CART_FEATURES.indexOf("confidence_rank");
const TIMES_BOUGHT = CART_FEATURES.indexOf("times_bought");
const DAYS_SINCE_BOUGHT = CART_FEATURES.indexOf("days_since_bought");
