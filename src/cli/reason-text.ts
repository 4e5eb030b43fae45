import { type ProductReason, RecommendationSource } from "../gen/aisle/v1/recommendation_pb.js";
import { printable } from "./output.js";

const SOURCE_WORDS: Readonly<Record<RecommendationSource, string>> = {
  [RecommendationSource.UNSPECIFIED]: "other",
  [RecommendationSource.ASSOCIATION_RULES]: "bought together",
  [RecommendationSource.SEMANTIC]: "similar description",
  [RecommendationSource.COLLABORATIVE]: "similar visits",
  [RecommendationSource.CART]: "completes the cart",
  [RecommendationSource.POPULARITY]: "popular",
};

/** One line for each source that brought the product: its place there, what led to it and the counts behind it. */
export function reasonText(reason: ProductReason | undefined): string {
  if (!reason) return "";
  return reason.sources
    .map((part) => {
      const counts = Object.entries(part.counts)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${printable(name)} ${number(value)}`);
      const cause = part.becauseOf.length > 0 ? [`because of ${part.becauseOf.map(printable).join(" + ")}`] : [];
      if (part.source === RecommendationSource.POPULARITY && part.score === 0)
        return "from the catalogue, nobody met it yet";
      const place = `${SOURCE_WORDS[part.source] ?? "other"} #${part.rank}`;
      return [place, ...cause, ...counts].join(", ");
    })
    .join("\n");
}

/** Whole numbers as they are, others with three digits that matter. */
function number(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}
