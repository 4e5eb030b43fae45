/** Binned candidates without some of their columns and rows, so that trees can be learned without a part. */
import type { FeatureBins } from "../../src/learning/rank/trees/bins.js";
import type { Forest } from "../../src/learning/rank/trees/forest.js";
import { createForestScorer } from "../../src/learning/rank/trees/forest-scorer.js";

/** Candidates of questions, binned. */
export interface AskedRows {
  readonly binned: Uint8Array;
  /** Question q has the rows `groups[q]` up to, not including, `groups[q + 1]`. */
  readonly groups: Uint32Array;
  /** Row of each answer; -1 where it is no candidate. */
  readonly answers: ArrayLike<number>;
}

export interface CutRows {
  readonly binned: Uint8Array;
  readonly groups: Uint32Array;
  readonly answers: Uint32Array;
  /** The rows that are left. */
  readonly rows: Uint32Array;
}

/** The bins of some features. */
export function columnsOf({ offsets, cuts }: FeatureBins, kept: readonly number[]): FeatureBins {
  const parts = kept.map((f) => cuts.subarray(offsets[f], offsets[f + 1]));
  const ends = [0];
  for (const part of parts) ends.push(ends.at(-1)! + part.length);
  return {
    featureCount: kept.length,
    offsets: Uint32Array.from(ends),
    cuts: Float32Array.from(parts.flatMap((part) => [...part])),
  };
}

/** The same features of all rows, which have `width` columns. */
export function binColumns(binned: Uint8Array, width: number, kept: readonly number[]): Uint8Array {
  if (kept.length === width) return binned;
  const columns = new Uint8Array((binned.length / width) * kept.length);
  let at = 0;
  for (let row = 0; row < binned.length; row += width) for (const f of kept) columns[at++] = binned[row + f]!;
  return columns;
}

/** The rows that are left; a question whose answer is not among them is left out. */
export function cutRows(
  asked: AskedRows,
  width: number,
  kept: readonly number[],
  isLeft: (row: number) => boolean,
): CutRows {
  const { binned, groups, answers } = asked;
  const rows = new Uint32Array(binned.length / width);
  let size = 0;
  const newGroups = [0];
  const newAnswers: number[] = [];
  for (let q = 0; q < answers.length; q++) {
    const answer = answers[q]!;
    if (answer < 0 || !isLeft(answer)) continue;
    for (let row = groups[q]!; row < groups[q + 1]!; row++) {
      if (row === answer) newAnswers.push(size);
      if (isLeft(row)) rows[size++] = row;
    }
    newGroups.push(size);
  }
  const columns = new Uint8Array(size * kept.length);
  let at = 0;
  for (let i = 0; i < size; i++) for (const f of kept) columns[at++] = binned[rows[i]! * width + f]!;
  return {
    binned: columns,
    groups: Uint32Array.from(newGroups),
    answers: Uint32Array.from(newAnswers),
    rows: rows.subarray(0, size),
  };
}

const CHUNK = 1024;

/** What a forest gives the rows of bins that it was learned on. */
export function scoresOf(forest: Forest, { offsets, cuts }: FeatureBins, binned: Uint8Array): Float64Array {
  const width = forest.featureCount;
  const count = binned.length / width;
  const addScores = createForestScorer(forest);
  const scores = new Float64Array(count);
  const rows = new Float32Array(CHUNK * width);
  for (let from = 0; from < count; from += CHUNK) {
    const size = Math.min(CHUNK, count - from);
    // A value equal to a cut lies below it: the cut stands for its bin.
    for (let i = 0; i < size * width; i++) {
      const at = offsets[i % width]! + binned[from * width + i]!;
      rows[i] = at < offsets[(i % width) + 1]! ? cuts[at]! : Number.POSITIVE_INFINITY;
    }
    addScores(rows, size, scores.subarray(from, from + size));
  }
  return scores;
}
