/** The parts of a learned order that can be left out: sources, what is known besides, and forms of features. */

import type { Proposer } from "./lab.js";
import type { Feature, Without } from "./variant.js";

export interface Part extends Without {
  readonly name: string;
  /** The feature by whose score alone candidates can be put in order. */
  readonly alone?: Feature;
}

const part = (
  name: string,
  features: readonly Feature[],
  proposers: readonly Proposer[] = [],
  alone?: Feature,
): Part => ({ name, features, proposers, ...(alone && { alone }) });

export const PARTS: readonly Part[] = [
  part(
    "session neighbours",
    ["close", "plain", "next", "holders", "shared", "closeRank", "plainRank", "neighbours"],
    ["close", "plain", "next"],
    "close",
  ),
  part("their other votes", ["plain", "next", "holders", "shared", "plainRank"], ["plain", "next"], "plain"),
  part(
    "products met together",
    ["nearLast", "nearSum", "nearMost", "nearCount", "nearSumRank"],
    ["nearLast", "nearSum"],
    "nearSum",
  ),
  part("what comes right after", ["nextOfLast"], [], "nextOfLast"),
  part("walks of two and three steps", ["walk", "longWalk", "walkRank", "longWalkRank"], ["walk", "longWalk"], "walk"),
  part("item embedding", ["likeLast", "likeVisit", "likeShare"], [], "likeVisit"),
  part(
    "popularity and trend",
    ["popular5", "popular20", "popular100", "lastSeen", "trend", "popularToLast", "lastPopular"],
    ["popular"],
    "popular20",
  ),
  part("habits of products", ["repeated", "returned", "ended", "lastRepeated", "lastEnded"]),
  part("the visit's own meetings", ["stepsSince", "times", "othersSince", "followedLast"]),
  part("the situation", [
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
  ]),
  part("ranks", ["closeRank", "plainRank", "nearSumRank", "walkRank", "longWalkRank"]),
];
