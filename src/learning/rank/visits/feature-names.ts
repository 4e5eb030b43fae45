import { STATS } from "./ranker-sources.js";

/** Scores that are given as shares of the best one. */
export const SCORES = ["close", "near", "walk", "longWalk"] as const;
export type Score = (typeof SCORES)[number];
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
  "neighbours",
] as const;

/** Names of the features, in their order. */
export const FEATURES = [...SCORES, ...ITEM, ...LIKENESS, ...VISIT, ...SITUATION] as const;
export const FEATURE_COUNT: number = FEATURES.length;

/** Format of the features: trees learned on another one cannot be asked. */
export const FEATURES_FORMAT = 4;

/** Where in a row the features of the product begin, of its vector, of the visit's own meetings with it, and of the visit. */
export const OF_ITEM: number = SCORES.length;
export const OF_LIKENESS: number = OF_ITEM + ITEM.length;
export const OF_VISIT: number = OF_LIKENESS + LIKENESS.length;
export const OF_SITUATION: number = OF_VISIT + VISIT.length;
