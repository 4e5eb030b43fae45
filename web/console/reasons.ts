import { create } from "@bufbuild/protobuf";
import {
  type ReasonCounts,
  ReasonCountsSchema,
  RecommendationSource,
  type SourceReason,
} from "../../src/gen/aisle/v1/recommendation_reason_pb.js";

/** Display names of algorithms. */
export const SOURCE_NAMES: Readonly<Record<RecommendationSource, string>> = {
  [RecommendationSource.UNSPECIFIED]: "Other",
  [RecommendationSource.ASSOCIATION_RULES]: "Bought together",
  [RecommendationSource.SEMANTIC]: "Similar description",
  [RecommendationSource.COLLABORATIVE]: "Similar visits",
  [RecommendationSource.CART]: "Completes the cart",
  [RecommendationSource.POPULARITY]: "Popular",
  [RecommendationSource.RECENTLY_VIEWED]: "Recently viewed",
  [RecommendationSource.BUY_AGAIN]: "Bought before",
  [RecommendationSource.NEW_ARRIVALS]: "New",
  [RecommendationSource.TRENDING]: "Trending",
  [RecommendationSource.BESTSELLERS]: "Bestseller",
};

/** Why a source proposes a product, in words. `titleOf` returns a product's display name. */
export function reasonText(reason: SourceReason, titleOf: (productId: string) => string): string {
  const cause = reason.causeProductIds.map(titleOf).join(" + ");
  const parts = WORDS[reason.source]?.(reason.counts ?? create(ReasonCountsSchema), cause) ?? [];
  const said = parts.filter((part) => part !== "").join("; ");
  return said !== "" || cause === "" ? said : `because of ${cause}`;
}

type Words = (counts: ReasonCounts, cause: string) => readonly string[];

const WORDS: Readonly<Partial<Record<RecommendationSource, Words>>> = {
  [RecommendationSource.ASSOCIATION_RULES]: ({ pairCount, antecedentCount, lift }, cause) => [
    pairCount === undefined || antecedentCount === undefined
      ? ""
      : `${whole(pairCount)} of ${whole(antecedentCount)} orders with ${cause} have it, too`,
    lift === undefined ? "" : `${shortNumber(lift)} times as often as by chance`,
  ],
  [RecommendationSource.SEMANTIC]: ({ similarity }, cause) => [
    similarity === undefined ? "" : `its text is ${Math.round(100 * similarity)} % like that of ${cause}`,
  ],
  [RecommendationSource.COLLABORATIVE]: (counts, cause) => {
    const { neighbours = 0, similarSessions = 0, visitorsTogether = 0, timesMet = 0 } = counts;
    return [
      neighbours > 0 ? `${whole(neighbours)} of ${whole(similarSessions)} similar visits went on to this product` : "",
      visitorsTogether > 0 ? `${count(visitorsTogether, "visitor")} met both lately` : "",
      timesMet > 0 ? `the visitor met it ${count(timesMet, "time")}` : "",
      cause === "" ? "" : `because of ${cause}`,
    ];
  },
  [RecommendationSource.CART]: ({ neighbours = 0, timesOrdered = 0, daysSinceOrdered = 0 }, cause) => [
    neighbours > 0 ? `${count(neighbours, "order")} like this cart ${neighbours === 1 ? "has" : "have"} it` : "",
    timesOrdered > 0 ? `ordered ${count(timesOrdered, "time")}, last ${ago(daysSinceOrdered)}` : "",
    cause === "" ? "" : `because of ${cause}`,
  ],
  [RecommendationSource.POPULARITY]: ({ rankWithin = 0 }) => [
    rankWithin > 0 ? `number ${whole(rankWithin)} of its category` : "",
  ],
  [RecommendationSource.RECENTLY_VIEWED]: ({ viewCount = 0, daysAgo = 0 }) => [
    `viewed ${count(viewCount, "time")}, last ${ago(daysAgo)}`,
  ],
  [RecommendationSource.BUY_AGAIN]: ({ orderCount = 0, daysAgo = 0 }) => [
    `ordered ${count(orderCount, "time")}, last ${ago(daysAgo)}`,
  ],
  [RecommendationSource.NEW_ARRIVALS]: ({ daysAgo = 0 }) => [`came ${ago(daysAgo)}`],
  [RecommendationSource.TRENDING]: ({ recent = 0, before = 0, days = 0 }) => [
    `${whole(recent)} views and orders in ${count(days, "day")}, ${whole(before)} before`,
  ],
  [RecommendationSource.BESTSELLERS]: ({ orderCount = 0, days = 0 }) => [
    `${count(orderCount, "order")}${days > 0 ? ` in ${count(days, "day")}` : ""}`,
  ],
};

const whole = (value: number) => Math.round(value).toLocaleString();
const count = (value: number, noun: string) => `${whole(value)} ${noun}${Math.round(value) === 1 ? "" : "s"}`;
const ago = (days: number) => (Math.round(days) === 0 ? "today" : `${count(days, "day")} ago`);

/** Whole numbers unchanged, others with three significant digits. */
export function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
