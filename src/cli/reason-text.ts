import {
  type ProductReason,
  type ReasonCounts,
  RecommendationSource,
  type SourceReason,
} from "../gen/aisle/v1/recommendation_reason_pb.js";
import { boostText } from "./frame-values.js";
import { printable } from "./output.js";

const SOURCE_WORDS: Readonly<Record<RecommendationSource, string>> = {
  [RecommendationSource.UNSPECIFIED]: "other",
  [RecommendationSource.ASSOCIATION_RULES]: "bought together",
  [RecommendationSource.SEMANTIC]: "similar description",
  [RecommendationSource.COLLABORATIVE]: "similar visits",
  [RecommendationSource.CART]: "completes the cart",
  [RecommendationSource.POPULARITY]: "popular",
  [RecommendationSource.RECENTLY_VIEWED]: "recently viewed",
  [RecommendationSource.BUY_AGAIN]: "bought before",
  [RecommendationSource.NEW_ARRIVALS]: "new",
  [RecommendationSource.TRENDING]: "trending",
  [RecommendationSource.BESTSELLERS]: "bestseller",
};

/**
 * One line for each source that proposed the product: its rank there, the products that led to it and the counts. A
 * rule is shown with its two sides.
 */
export function reasonText(reason: ProductReason | undefined): string {
  if (!reason) return "";
  const sources = reason.sources.map((part) => sourceText(part, printable(reason.productId)));
  const explored = reason.explorationProbability;
  return [
    ...sources,
    ...reason.boosts.map((boost) => `frame rule: ${printable(boostText(boost))}`),
    ...(explored > 0 ? [`explored, with a probability of ${number(explored)}`] : []),
  ].join("\n");
}

function sourceText(
  { source, score, rank, causeProductIds: becauseOf, counts }: SourceReason,
  productId: string,
): string {
  if (source === RecommendationSource.POPULARITY && score === 0)
    return "from the catalogue, nothing was learned about it";
  const names = becauseOf.map(printable).join(" + ");
  const isRule = source === RecommendationSource.ASSOCIATION_RULES;
  const cause = isRule ? `${names} -> ${productId}` : `because of ${names}`;
  const figures = countsOf(counts).map(([name, value]) => `${name} ${number(value)}`);
  return [`${SOURCE_WORDS[source] ?? "other"} #${rank}`, ...(names === "" ? [] : [cause]), ...figures].join(", ");
}

/** The counts that are set, by the names of their fields in alphabetical order. */
function countsOf(counts: ReasonCounts | undefined): (readonly [string, number])[] {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(counts ?? {});
  return fields
    .flatMap(([name, value]) =>
      typeof value === "number" ? [[name.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`), value] as const] : [],
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whole numbers unchanged, others with three significant digits. */
function number(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
