import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  type ReasonCountsSchema,
  RecommendationSource,
  SourceReasonSchema,
} from "../../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { reasonText } from "../../../web/console/reasons.js";

const TITLES: Readonly<Record<string, string>> = { tent: "Tarn tent", stove: "Pip gas stove" };

function said(source: RecommendationSource, counts: MessageInitShape<typeof ReasonCountsSchema>, ...causes: string[]) {
  const reason = create(SourceReasonSchema, { source, counts, causeProductIds: causes });
  return reasonText(reason, (productId) => TITLES[productId] ?? productId);
}

describe("a reason in the console", () => {
  it.each([
    [
      RecommendationSource.COLLABORATIVE,
      { neighbours: 34, similarSessions: 68, timesMet: 0, related: 1 },
      ["tent"],
      "34 of 68 similar visits went on to this product; because of Tarn tent",
    ],
    [
      RecommendationSource.ASSOCIATION_RULES,
      { pairCount: 12, antecedentCount: 40, lift: 3.456, confidence: 0.3 },
      ["tent", "stove"],
      "12 of 40 orders with Tarn tent + Pip gas stove have it, too; 3.46 times as often as by chance",
    ],
    [RecommendationSource.SEMANTIC, { similarity: 0.6287 }, ["tent"], "its text is 63 % like that of Tarn tent"],
    [
      RecommendationSource.CART,
      { neighbours: 1 },
      ["stove"],
      "1 order like this cart has it; because of Pip gas stove",
    ],
    [RecommendationSource.BUY_AGAIN, { orderCount: 2, daysAgo: 30 }, [], "ordered 2 times, last 30 days ago"],
    [RecommendationSource.NEW_ARRIVALS, { daysAgo: 0 }, [], "came today"],
    [RecommendationSource.BESTSELLERS, { orderCount: 1200, days: 7 }, [], "1,200 orders in 7 days"],
    [RecommendationSource.POPULARITY, {}, [], ""],
  ] as const)("of source %i with %o is a sentence", (source, counts, causes, text) => {
    expect(said(source, counts, ...causes)).toBe(text);
  });
});
