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
  part("session neighbours", ["close", "neighbours"], ["close"], "close"),
  part("products met together", ["near"], [], "near"),
  part("walks of two and three steps", ["walk", "longWalk"], ["walk", "longWalk"], "walk"),
  part("item embedding", ["likeLast", "likeVisit", "likeShare"], [], "likeVisit"),
  part(
    "popularity and trend",
    ["popular5", "popular20", "popular100", "lastSeen", "trend", "popularToLast", "lastPopular"],
    ["popular"],
    "popular20",
  ),
  part("the visit's own meetings", ["stepsSince", "times", "othersSince", "followedLast"]),
  part("the situation", [
    "steps",
    "products",
    "run",
    "repeatShare",
    "returns",
    "lastReturned",
    "lastPopular",
    "neighbours",
  ]),
];
