/**
 * Popularity: the weighted sum of a product's interactions. The weight of each halves with every half-life of age at the
 * cut-off, so that recent sales count more than old ones. With half-life H a product with one interaction a day settles
 * near 1.44 * H in days. One pass over the interactions.
 */
import type { Candidates } from "../../common/candidates.js";
import { createTopK } from "../../common/top-k.js";

/** Weight of an interaction type in a product's popularity. */
export const POPULARITY_WEIGHT = { product_view: 1, add_to_cart: 3, order: 5 } as const;

/** Meetings of a visitor and a product, in any order; the three arrays have one length. */
export interface Meetings {
  readonly productIndices: Uint32Array;
  /** Milliseconds. */
  readonly at: Float64Array;
  /** What one meeting counts; an order says more than a view. */
  readonly weights: Float32Array | Uint8Array;
}

export interface PopularityParams {
  /** Time from which ages are counted, ms. Later meetings count as if they happened then. */
  readonly cutOff: number;
  /** Age at which a meeting counts half; above 0, Infinity for no decay. */
  readonly halfLifeMs: number;
}

/** Decayed weight of every product; 0 for those never met. Products outside the catalogue are ignored. */
export function popularity(meetings: Meetings, productCount: number, params: PopularityParams): Float32Array {
  const { cutOff, halfLifeMs } = params;
  if (!(halfLifeMs > 0)) throw new RangeError("halfLifeMs must be above 0");
  const sums = new Float64Array(productCount);
  for (let i = 0; i < meetings.productIndices.length; i++) {
    const product = meetings.productIndices[i]!;
    if (product >= productCount) continue;
    const age = Math.max(0, cutOff - meetings.at[i]!);
    sums[product]! += meetings.weights[i]! * 2 ** (-age / halfLifeMs);
  }
  return Float32Array.from(sums);
}

/** The k products of the highest score above 0. `allowed` names the products that may be proposed; all when absent. */
export function mostPopular(scores: Float32Array, k: number, allowed?: Iterable<number>): Candidates {
  const top = createTopK();
  top.reset(k);
  for (const product of allowed === undefined ? scores.keys() : new Set(allowed)) {
    const score = scores[product] ?? 0;
    if (score > 0) top.offer(product, score);
  }
  return top.take();
}
