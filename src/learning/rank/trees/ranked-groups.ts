/** Collects the candidates of questions for boosting, binned: one byte a feature instead of four. */
import { createRowBinner, type FeatureBins } from "./bins.js";
import type { RankedGroups } from "./listwise.js";

export interface RankedGroupsBuilder {
  /** Adds a question: `count` rows at the front of `rows`, and the place of its answer among them. */
  add(rows: Float32Array, count: number, answer: number): void;
  all(): RankedGroups;
}

/** @param startingScores Scores of rows that the trees start from; 0 when absent. */
export function createRankedGroups(
  bins: FeatureBins,
  startingScores?: (rows: Float32Array) => Float32Array,
): RankedGroupsBuilder {
  const width = bins.featureCount;
  const binRows = createRowBinner(bins);
  const groups = [0];
  const answers: number[] = [];
  const offsets: number[] = [];
  let binned = new Uint8Array(1 << 20);
  let size = 0;
  return {
    add(rows, count, answer) {
      while ((size + count) * width > binned.length) {
        const larger = new Uint8Array(binned.length * 2);
        larger.set(binned);
        binned = larger;
      }
      binRows(rows, count, binned, size * width);
      if (startingScores) for (const score of startingScores(rows.subarray(0, count * width))) offsets.push(score);
      answers.push(size + answer);
      size += count;
      groups.push(size);
    },
    all: () => ({
      binned: binned.subarray(0, size * width),
      groups: Uint32Array.from(groups),
      answers: Uint32Array.from(answers),
      ...(startingScores && { offsets: Float32Array.from(offsets) }),
    }),
  };
}

/** The questions of both, one after the other. */
export function joinGroups(first: RankedGroups, second: RankedGroups): RankedGroups {
  const shift = first.groups.at(-1) ?? 0;
  const binned = new Uint8Array(first.binned.length + second.binned.length);
  binned.set(first.binned);
  binned.set(second.binned, first.binned.length);
  return {
    binned,
    groups: Uint32Array.from([...first.groups, ...second.groups.subarray(1).map((at) => at + shift)]),
    answers: Uint32Array.from([...first.answers, ...second.answers.map((at) => at + shift)]),
    ...(first.offsets && second.offsets && { offsets: joined(first.offsets, second.offsets) }),
  };
}

function joined(first: Float32Array, second: Float32Array): Float32Array {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
