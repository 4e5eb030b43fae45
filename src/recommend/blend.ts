import type { Candidates } from "../algorithms/candidates.js";
import type { SourceName } from "../model/source.js";

/** What one source proposes for one list, and how much it counts there. */
export interface WeightedCandidates {
  readonly source: SourceName;
  readonly weight: number;
  readonly candidates: Candidates;
}

/** Products by falling blended score. */
export interface Blended {
  readonly indices: Uint32Array;
  readonly scores: Float64Array;
}

/**
 * Adds up what the sources propose. Scores of different sources cannot be compared, so each source's are divided by
 * its best one: a product's score is the weighted sum of its shares. Ties go by product index.
 */
export function createBlender(productCount: number): (proposals: readonly WeightedCandidates[]) => Blended {
  const sums = new Float64Array(productCount);
  return (proposals) => {
    const touched: number[] = [];
    for (const { weight, candidates } of proposals) {
      const best = candidates.scores[0] ?? 0;
      if (!(best > 0) || weight === 0) continue;
      const scale = weight / best;
      for (let i = 0; i < candidates.indices.length; i++) {
        const product = candidates.indices[i]!;
        const share = candidates.scores[i]! * scale;
        if (!(share > 0)) continue;
        if (sums[product] === 0) touched.push(product);
        sums[product]! += share;
      }
    }
    touched.sort((a, b) => sums[b]! - sums[a]! || a - b);
    const indices = Uint32Array.from(touched);
    const scores = Float64Array.from(touched, (product) => sums[product]!);
    for (const product of touched) sums[product] = 0;
    return { indices, scores };
  };
}
