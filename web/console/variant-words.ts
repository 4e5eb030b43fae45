/** Words for what a variant changes of its frame. */
import type { FrameConfiguration, FrameVariant } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { ReadyListKind } from "../../src/gen/aisle/v1/ready_list_pb.js";

const LISTS: Readonly<Record<ReadyListKind, string>> = {
  [ReadyListKind.UNSPECIFIED]: "what the model recommends",
  [ReadyListKind.RECENTLY_VIEWED]: "products viewed lately",
  [ReadyListKind.BUY_AGAIN]: "products to buy again",
  [ReadyListKind.NEW_ARRIVALS]: "new products",
  [ReadyListKind.TRENDING]: "trending products",
  [ReadyListKind.BESTSELLERS]: "bestsellers",
};

/** What visitors of the variant see that others do not; empty when it is the frame as it is. */
export function changesOf(frame: FrameConfiguration, variant: FrameVariant): readonly string[] {
  const instead = (now: number | undefined, before: number | undefined, what: string) =>
    now === undefined || now === before ? "" : `${what} ${now} instead of ${before ?? "the usual"}`;
  const either = (now: boolean | undefined, before: boolean | undefined, yes: string, no: string) =>
    now === undefined || now === before ? "" : now ? yes : no;
  const list = variant.readyList?.kind;
  return [
    instead(variant.recommendedCount, frame.recommendedCount, "products recommended:"),
    instead(variant.alternativeCount, frame.alternativeCount, "alternatives:"),
    instead(variant.diversity, frame.diversity, "variety"),
    instead(variant.exploration, frame.exploration, "share for new products"),
    instead(variant.rotationRate, frame.rotationRate, "rotation rate"),
    either(variant.includeViewed, frame.includeViewed, "also products already viewed", "no products already viewed"),
    either(variant.includeBought, frame.includeBought, "also products already bought", "no products already bought"),
    either(variant.rotation, frame.rotation ?? true, "products passed over step back", "products passed over stay"),
    either(variant.fallback, frame.fallback ?? true, "popular products fill gaps", "no popular products in gaps"),
    list === undefined || list === (frame.readyList?.kind ?? ReadyListKind.UNSPECIFIED) ? "" : LISTS[list],
    variant.sourceChoice === undefined ? "" : "other sources",
    variant.pinChoice === undefined ? "" : "other pinned products",
    variant.filter === undefined ? "" : "another filter",
    variant.rules === undefined ? "" : "other rules",
    variant.rotationPeriod === undefined ? "" : "another time of rotation",
  ].filter((text) => text !== "");
}
