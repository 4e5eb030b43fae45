/** Learned orders of a prepared shop without some features and candidates, each with trees of its own. */
import { createRandom } from "../../src/learning/common/random.js";
import type { FeatureBins } from "../../src/learning/rank/trees/bins.js";
import { boostRanking } from "../../src/learning/rank/trees/listwise.js";
import { FEATURES } from "../../src/learning/rank/visits/feature-names.js";
import { boostingFor } from "../../src/learning/rank/visits/learn-ranker.js";
import { type Asked, bitOf, type Judged, judgeScores, type Lab, type Proposer, scoresOf } from "./lab.js";

export type Feature = (typeof FEATURES)[number];

/** What a learned order does without. */
export interface Without {
  readonly features: readonly Feature[];
  readonly proposers: readonly Proposer[];
}

export interface JudgedVariant {
  readonly judged: Judged;
  /** CPU seconds of the boosting. */
  readonly seconds: number;
  /** Candidates that are left, as a share. */
  readonly candidates: number;
}

/** Trees learned again without features and candidates; a candidate goes when nobody else proposed it. */
export function learnWithout(lab: Lab, without: Without, seed: number): JudgedVariant {
  const kept = FEATURES.flatMap((name, f) => (without.features.includes(name) ? [] : [f]));
  const dropped = without.proposers.reduce((bits, proposer) => bits | bitOf(proposer), 0);
  const isLeft = (proposed: Uint16Array) => (row: number) => (proposed[row]! & ~dropped) !== 0;
  const bins = columnsOf(lab.bins, kept);
  const cut = (asked: Asked) => cutGroups(asked, kept, isLeft(asked.proposed));
  const learned = cut(lab.learned);
  const heldOut = cut(lab.heldOut);
  const begun = process.cpuUsage();
  const params = boostingFor(lab.learned.answers.length);
  const { forest } = boostRanking(bins, learned, heldOut, params, createRandom(seed));
  const { user } = process.cpuUsage(begun);
  const scores = scoresOf(forest, bins, binColumns(lab.dev.binned, kept));
  const isLeftOfDev = isLeft(lab.dev.proposed);
  const rows = lab.dev.proposed.length;
  const left = lab.dev.proposed.reduce((sum, _, row) => (isLeftOfDev(row) ? sum + 1 : sum), 0);
  return {
    judged: judgeScores(lab.dev, scores, isLeftOfDev),
    seconds: user / 1e6,
    candidates: left / rows,
  };
}

/** The candidates in the order of one feature, the larger the better. */
export function judgeAlone({ dev }: Lab, feature: Feature): Judged {
  const at = FEATURES.indexOf(feature);
  const scores = Float64Array.from(dev.proposed, (_, row) => dev.binned[row * FEATURES.length + at]!);
  return judgeScores(dev, feature === "close" ? dev.close : scores, () => true);
}

function columnsOf({ offsets, cuts }: FeatureBins, kept: readonly number[]): FeatureBins {
  const parts = kept.map((f) => cuts.subarray(offsets[f], offsets[f + 1]));
  const ends = [0];
  for (const part of parts) ends.push(ends.at(-1)! + part.length);
  return {
    featureCount: kept.length,
    offsets: Uint32Array.from(ends),
    cuts: Float32Array.from(parts.flatMap((part) => [...part])),
  };
}

function binColumns(binned: Uint8Array, kept: readonly number[]): Uint8Array {
  if (kept.length === FEATURES.length) return binned;
  const rows = binned.length / FEATURES.length;
  const columns = new Uint8Array(rows * kept.length);
  let at = 0;
  for (let row = 0; row < rows; row++) for (const f of kept) columns[at++] = binned[row * FEATURES.length + f]!;
  return columns;
}

/** The rows that are left; a question whose answer is not among them is left out. */
function cutGroups({ binned, groups, answers }: Asked, kept: readonly number[], isLeft: (row: number) => boolean) {
  const rows: number[] = [];
  const newGroups = [0];
  const newAnswers: number[] = [];
  for (const [g, answer] of answers.entries()) {
    if (!isLeft(answer)) continue;
    for (let row = groups[g]!; row < groups[g + 1]!; row++) {
      if (row === answer) newAnswers.push(rows.length);
      if (isLeft(row)) rows.push(row);
    }
    newGroups.push(rows.length);
  }
  const columns = new Uint8Array(rows.length * kept.length);
  let at = 0;
  for (const row of rows) for (const f of kept) columns[at++] = binned[row * FEATURES.length + f]!;
  return { binned: columns, groups: Uint32Array.from(newGroups), answers: Uint32Array.from(newAnswers) };
}
