import { create } from "@bufbuild/protobuf";
import {
  type FrameConfiguration,
  FrameConfigurationSchema,
  PageKind,
  SourceWeightSchema,
} from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";

/** A new frame with the initial settings of `default`. */
export function newFrame(): FrameConfiguration {
  return create(FrameConfigurationSchema, { recommendedCount: 10, alternativeCount: 10 });
}

export const PAGE_KINDS: readonly (readonly [PageKind, string])[] = [
  [PageKind.UNSPECIFIED, "not said"],
  [PageKind.HOME, "home"],
  [PageKind.CATEGORY, "category"],
  [PageKind.PRODUCT, "product"],
  [PageKind.CART, "cart"],
  [PageKind.ORDER, "after an order"],
];

export const SOURCES: readonly RecommendationSource[] = [
  RecommendationSource.ASSOCIATION_RULES,
  RecommendationSource.SEMANTIC,
  RecommendationSource.COLLABORATIVE,
  RecommendationSource.CART,
  RecommendationSource.POPULARITY,
];

/** The weight of a source in a frame, as typed; "" for none. */
export function weightOf({ sources }: FrameConfiguration, source: RecommendationSource): string {
  const found = sources.find((each) => each.source === source);
  return found === undefined ? "" : String(found.weight);
}

/** The frame with another weight for a source. "" removes the source; without any the sources are automatic. */
export function withWeight(frame: FrameConfiguration, source: RecommendationSource, typed: string): FrameConfiguration {
  const others = frame.sources.filter((each) => each.source !== source);
  const weight = Number(typed);
  const own = typed === "" || Number.isNaN(weight) ? [] : [create(SourceWeightSchema, { source, weight })];
  return { ...frame, sources: [...others, ...own] };
}

/** The server's faults of a field or a part of it, such as its third product. */
export function faultOf(faults: ReadonlyMap<string, string>, field: string): string | undefined {
  const path = `frame_configuration.${field}`;
  for (const [at, fault] of faults)
    if (at === path || at.startsWith(`${path}[`) || at.startsWith(`${path}.`)) return fault;
  return undefined;
}
