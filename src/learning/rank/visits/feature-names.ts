import { STATS } from "./ranker-sources.js";

/** Scores that are given as shares of the best one. */
export const SCORES = [
  "close",
  "plain",
  "next",
  "holders",
  "shared",
  "nearLast",
  "nearSum",
  "nearMost",
  "nearCount",
  "nextOfLast",
  "walk",
  "longWalk",
] as const;
export type Score = (typeof SCORES)[number];
/** Scores that are given as ranks too. */
export const RANKED = ["close", "plain", "nearSum", "walk", "longWalk"] as const satisfies readonly Score[];
const RANKS = ["closeRank", "plainRank", "nearSumRank", "walkRank", "longWalkRank"] as const;
const ITEM = [...STATS, "trend", "popularToLast"] as const;
const LIKENESS = ["likeLast", "likeVisit", "likeShare"] as const;
export const VISIT = ["stepsSince", "times", "othersSince", "followedLast"] as const;
const SITUATION = [
  "steps",
  "products",
  "run",
  "repeatShare",
  "returns",
  "lastReturned",
  "lastPopular",
  "lastRepeated",
  "lastEnded",
  "neighbours",
] as const;

/** Names of the features, in their order. */
export const FEATURES = [...SCORES, ...RANKS, ...ITEM, ...LIKENESS, ...VISIT, ...SITUATION] as const;
export const FEATURE_COUNT: number = FEATURES.length;

/** Format of the features: trees learned on another one cannot be asked. */
export const FEATURES_FORMAT = 3;

/** Where in a row the features of the product begin, of its vector, of the visit's own meetings with it, and of the visit. */
export const OF_ITEM = SCORES.length + RANKS.length;
export const OF_LIKENESS = OF_ITEM + ITEM.length;
export const OF_VISIT = OF_LIKENESS + LIKENESS.length;
export const OF_SITUATION = OF_VISIT + VISIT.length;
