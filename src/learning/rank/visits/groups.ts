import { createRowBinner, type FeatureBins } from "../trees/bins.js";
import type { ForestScorer } from "../trees/forest-scorer.js";
import type { RankedGroups } from "../trees/listwise.js";
import type { CandidateFeatures } from "./candidate-features.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT } from "./feature-names.js";
import type { VisitQuery } from "./visits.js";

/** Collects the candidates of questions, binned: one byte a feature instead of four. */
export interface Groups {
  /** Takes in a question, unless its answer is no candidate; returns how many candidates it has, 0 when not taken in. */
  add(features: CandidateFeatures, query: VisitQuery, answer: number): number;
  all(): RankedGroups;
  /** The same, with what the prior says of each row as its offset. Without a prior the same as `all`. */
  withPrior(): RankedGroups;
}

/** `prior` scores the rows as they come. */
export function createGroups(bins: FeatureBins, prior?: ForestScorer): Groups {
  const binRows = createRowBinner(bins);
  const groups = [0];
  const answers: number[] = [];
  let binned = new Uint8Array(1 << 20);
  let rows = 0;
  const scores = new Float64Array(MAX_CANDIDATES);
  const offsets: number[] = [];
  const all = (): RankedGroups => ({
    binned: binned.subarray(0, rows * FEATURE_COUNT),
    groups: Uint32Array.from(groups),
    answers: Uint32Array.from(answers),
  });

  return {
    add(features, query, answer) {
      const count = features.make(query);
      const place = features.candidates.subarray(0, count).indexOf(answer);
      if (place < 0) return 0;
      if ((rows + MAX_CANDIDATES) * FEATURE_COUNT > binned.length) {
        const larger = new Uint8Array(binned.length * 2);
        larger.set(binned);
        binned = larger;
      }
      binRows(features.rows, count, binned, rows * FEATURE_COUNT);
      if (prior !== undefined) {
        scores.fill(0, 0, count);
        prior(features.rows, count, scores);
        for (let row = 0; row < count; row++) offsets.push(scores[row]!);
      }
      answers.push(rows + place);
      rows += count;
      groups.push(rows);
      return count;
    },
    all,
    withPrior: () => (prior === undefined ? all() : { ...all(), offsets: Float32Array.from(offsets) }),
  };
}
