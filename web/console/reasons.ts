import { RecommendationSource, type SourceReason } from "../../src/gen/aisle/v1/recommendation_pb.js";

/** Algorithms in the words of a shop. */
export const SOURCE_NAMES: Readonly<Record<RecommendationSource, string>> = {
  [RecommendationSource.UNSPECIFIED]: "Other",
  [RecommendationSource.ASSOCIATION_RULES]: "Bought together",
  [RecommendationSource.SEMANTIC]: "Similar description",
  [RecommendationSource.COLLABORATIVE]: "Similar visits",
  [RecommendationSource.CART]: "Completes the cart",
  [RecommendationSource.POPULARITY]: "Popular",
};

/** What led to a product and the counts behind it, by one source. `titleOf` names a product for people. */
export function reasonText(reason: SourceReason, titleOf: (productId: string) => string): string {
  const because = reason.becauseOf.length > 0 ? [`because of ${reason.becauseOf.map(titleOf).join(" + ")}`] : [];
  const counts = Object.entries(reason.counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${shortNumber(value)}`);
  return [...because, ...counts].join(", ");
}

/** Whole numbers as they are, others with three digits that matter. */
export function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
