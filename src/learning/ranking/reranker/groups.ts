import { binRows, type FeatureBins } from "../gradient-boosting/bins.js";
import type { RankedGroups } from "../gradient-boosting/listwise.js";
import type { CandidateFeatures } from "./candidate-features.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT } from "./feature-names.js";
import type { VisitQuery } from "./visits.js";

/** Collects the candidates of questions, binned: one byte a feature instead of four. */
export interface Groups {
  /** Takes in a question, unless its answer is no candidate. */
  add(features: CandidateFeatures, query: VisitQuery, answer: number): void;
  all(): RankedGroups;
}

export function createGroups(bins: FeatureBins): Groups {
  const groups = [0];
  const answers: number[] = [];
  let binned = new Uint8Array(1 << 20);
  let rows = 0;

  return {
    add(features, query, answer) {
      const count = features.make(query);
      const place = features.candidates.subarray(0, count).indexOf(answer);
      if (place < 0) return;
      if ((rows + MAX_CANDIDATES) * FEATURE_COUNT > binned.length) {
        const larger = new Uint8Array(binned.length * 2);
        larger.set(binned);
        binned = larger;
      }
      binRows(bins, features.rows, count, binned, rows * FEATURE_COUNT);
      answers.push(rows + place);
      rows += count;
      groups.push(rows);
    },
    all: () => ({
      binned: binned.subarray(0, rows * FEATURE_COUNT),
      groups: Uint32Array.from(groups),
      answers: Uint32Array.from(answers),
    }),
  };
}
