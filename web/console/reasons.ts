import { RecommendationSource, type SourceReason } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";

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

/** The products that led to a product by one source, with the counts. `titleOf` returns a product's display name. */
export function reasonText(reason: SourceReason, titleOf: (productId: string) => string): string {
  const because =
    reason.causeProductIds.length > 0 ? [`because of ${reason.causeProductIds.map(titleOf).join(" + ")}`] : [];
  const fields: readonly (readonly [string, unknown])[] = Object.entries(reason.counts ?? {});
  const counts = fields
    .flatMap(([name, value]) =>
      typeof value === "number"
        ? [`${name.replace(/[A-Z]/g, (upper) => ` ${upper.toLowerCase()}`)} ${shortNumber(value)}`]
        : [],
    )
    .sort();
  return [...because, ...counts].join(", ");
}

/** Whole numbers unchanged, others with three significant digits. */
export function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
