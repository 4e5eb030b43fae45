/** Learned orders of a prepared shop without some features and candidates, each with trees of its own. */
import { createRandom } from "../../src/learning/common/random.js";
import { boostRanking } from "../../src/learning/rank/trees/listwise.js";
import { FEATURES } from "../../src/learning/rank/visits/feature-names.js";
import { boostingFor } from "../../src/learning/rank/visits/learn-ranker.js";
import { binColumns, columnsOf, cutRows, scoresOf } from "./cut.js";
import { type Asked, bitOf, type Judged, judgeScores, type Lab, type Proposer } from "./lab.js";

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
  const cut = (asked: Asked) => cutRows(asked, FEATURES.length, kept, isLeft(asked.proposed));
  const learned = cut(lab.learned);
  const heldOut = cut(lab.heldOut);
  const begun = process.cpuUsage();
  const params = boostingFor(lab.learned.answers.length);
  const { forest } = boostRanking(bins, learned, heldOut, params, createRandom(seed));
  const { user } = process.cpuUsage(begun);
  const scores = scoresOf(forest, bins, binColumns(lab.dev.binned, FEATURES.length, kept));
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
