import type { Candidates } from "../algorithms/candidates.js";
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
  const sums = new Float64Array(productCount);
  return (proposals) => {
    const touched: number[] = [];
    for (const { weight, by, candidates } of proposals) {
      const best = candidates.scores[0] ?? 0;
      if (weight === 0 || (by === "score" && !(best > 0))) continue;
      for (let i = 0; i < candidates.indices.length; i++) {
        const product = candidates.indices[i]!;
        const worth = weight * (by === "place" ? placeWorth(i + 1) : candidates.scores[i]! / best);
        if (!(worth > 0)) continue;
        if (sums[product] === 0) touched.push(product);
        sums[product]! += worth;
      }
    }
    touched.sort((a, b) => sums[b]! - sums[a]! || a - b);
    const indices = Uint32Array.from(touched);
    const scores = Float64Array.from(touched, (product) => sums[product]!);
    for (const product of touched) sums[product] = 0;
    return { indices, scores };
  };
}
