import type { Candidates } from "../algorithms/candidates.js";
import { createFallingOrder } from "../algorithms/falling-order.js";
import { placeWorth } from "../algorithms/source-blend.js";
import type { SourceName } from "../model/source.js";

/** What one source proposes for one list, and how much it counts there. */
export interface WeightedCandidates {
  readonly source: SourceName;
  readonly weight: number;
  /** What of a candidate is weighed: its score as a share of the list's best, or its place in the list. */
  readonly by: "score" | "place";
  readonly candidates: Candidates;
}

/** Products by falling blended score. */
export interface Blended {
  readonly indices: Uint32Array;
  readonly scores: Float64Array;
}

/**
 * Adds up what the sources propose. Scores of different sources cannot be compared: a product's score is the weighted
 * sum of its shares of each source's best, or of what its places are worth. Ties go by product index.
 */
export function createBlender(productCount: number): (proposals: readonly WeightedCandidates[]) => Blended {
  // By product; all 0 between answers.
  const sums = new Float64Array(productCount);
  // By place in the order products are met.
  const touched = new Uint32Array(productCount);
  const scores = new Float64Array(productCount);
  const falling = createFallingOrder();
  // By place, as far as one was asked for.
  let placeWorths = new Float64Array(0);
  return (proposals) => {
    let count = 0;
    for (const { weight, by, candidates } of proposals) {
      const best = candidates.scores[0] ?? 0;
      if (weight === 0 || (by === "score" && !(best > 0))) continue;
      const { indices, scores: found } = candidates;
      if (placeWorths.length < indices.length) placeWorths = worthsOfPlaces(indices.length);
      for (let i = 0; i < indices.length; i++) {
        const product = indices[i]!;
        const worth = weight * (by === "place" ? placeWorths[i]! : found[i]! / best);
        if (!(worth > 0)) continue;
        if (sums[product] === 0) touched[count++] = product;
        sums[product]! += worth;
      }
    }
    for (let t = 0; t < count; t++) {
      scores[t] = sums[touched[t]!]!;
      sums[touched[t]!] = 0;
    }
    return arranged(touched, scores, falling.of(scores, touched, count));
  };
}

function worthsOfPlaces(count: number): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: count }, (_, i) => placeWorth(i + 1));
}

/** Products and their scores in this order of their places. */
export function arranged(products: Uint32Array, scores: Float64Array, order: Uint32Array): Blended {
  const blended = { indices: new Uint32Array(order.length), scores: new Float64Array(order.length) };
  for (let i = 0; i < order.length; i++) {
    blended.indices[i] = products[order[i]!]!;
    blended.scores[i] = scores[order[i]!]!;
  }
  return blended;
}
