import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { reasonText } from "../../src/cli/reason-text.js";
import {
  ProductReasonSchema,
  RecommendationSource,
  type SourceReasonSchema,
} from "../../src/gen/aisle/v1/recommendation_reason_pb.js";

const textOf = (...sources: MessageInitShape<typeof SourceReasonSchema>[]) =>
  reasonText(create(ProductReasonSchema, { productId: "pegs", sources }));

it("a rule is shown with both of its sides, and two antecedents with a plus between", () => {
  const source = RecommendationSource.ASSOCIATION_RULES;
  const counts = { confidence: 0.51724, lift: 34.2, pairCount: 15 };
  expect(textOf({ source, rank: 1, causeProductIds: ["tent", "stove"], counts })).toBe(
    "bought together #1, tent + stove -> pegs, confidence 0.517, lift 34.2, pair_count 15",
  );
});

it("neighbours are shown with the products that led to them and their number, one source a line", () => {
  expect(
    textOf(
      { source: RecommendationSource.COLLABORATIVE, rank: 6, causeProductIds: ["tent"], counts: { neighbours: 28 } },
      { source: RecommendationSource.CART, rank: 2, causeProductIds: ["tent"], counts: { pairCount: 14 } },
    ),
  ).toBe("similar visits #6, because of tent, neighbours 28\ncompletes the cart #2, because of tent, pair_count 14");
});

it("a popular product is shown with its rank, within its category where that decided", () => {
  const source = RecommendationSource.POPULARITY;
  expect(textOf({ source, rank: 4, score: 2 })).toBe("popular #4");
  expect(textOf({ source, rank: 4, score: 2, counts: { rankWithin: 1 } })).toBe("popular #4, rank_within 1");
});

it("a product that no source proposed is shown as part of the catalogue", () => {
  const source = RecommendationSource.POPULARITY;
  expect(textOf({ source, rank: 0, score: 0 })).toBe("from the catalogue, nothing was learned about it");
});
