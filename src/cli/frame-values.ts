/** Converts between typed values of a frame and its message. */
import { InvalidArgumentError } from "commander";
import {
  type FrameConfiguration,
  type FrameVariant,
  PageKind,
  type SourceWeight,
} from "../gen/aisle/v1/frame_configuration_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { daysOf } from "./days.js";
import { ruleLines } from "./frame-rule-values.js";
import { readyListText } from "./ready-list-values.js";

const SOURCES: readonly (readonly [string, RecommendationSource])[] = [
  ["rules", RecommendationSource.ASSOCIATION_RULES],
  ["semantic", RecommendationSource.SEMANTIC],
  ["collaborative", RecommendationSource.COLLABORATIVE],
  ["cart", RecommendationSource.CART],
  ["popularity", RecommendationSource.POPULARITY],
];

const PAGES: readonly (readonly [string, PageKind])[] = [
  ["home", PageKind.HOME],
  ["category", PageKind.CATEGORY],
  ["product", PageKind.PRODUCT],
  ["cart", PageKind.CART],
  ["order", PageKind.ORDER],
];

/** A typed source and its weight. */
export type TypedWeight = Pick<SourceWeight, "source" | "weight">;

/** `rules=2`; without a weight it is 1. Each use of the option adds one. */
export function sourceWeight(text: string, earlier: readonly TypedWeight[] = []): readonly TypedWeight[] {
  const [name = "", weight = "1"] = text.split("=", 2);
  const source = SOURCES.find(([known]) => known === name)?.[1];
  if (source === undefined || !isNumber(weight)) {
    const names = SOURCES.map(([known]) => known).join(", ");
    throw new InvalidArgumentError(`A source, and =weight, is accepted; sources are ${names}.`);
  }
  return [...earlier, { source, weight: Number(weight) }];
}

/** `calm=1`: a variant that is as the frame, and its weight. Each use of the option adds one. */
export function plainVariant(
  text: string,
  earlier: readonly Pick<FrameVariant, "name" | "weight">[] = [],
): readonly Pick<FrameVariant, "name" | "weight">[] {
  const [name = "", weight = "1"] = text.split("=", 2);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || !isNumber(weight))
    throw new InvalidArgumentError("A name of letters, digits, _ or -, and =weight, is accepted.");
  return [...earlier, { name, weight: Number(weight) }];
}

export function pageKind(text: string): PageKind {
  const found = PAGES.find(([name]) => name === text)?.[1];
  if (found === undefined)
    throw new InvalidArgumentError(`One of ${PAGES.map(([name]) => name).join(", ")} is accepted.`);
  return found;
}

function isNumber(text: string): boolean {
  return /^\d*\.?\d{1,9}$/.test(text);
}

/** Settings of a frame that differ from the defaults, as lines of a name and a text. */
export function frameLines(frame: FrameConfiguration): (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [
    ["frame", frame.frameId],
    ["title", frame.title],
    ["version", frame.version === 0 ? "" : String(frame.version)],
    ["page", PAGES.find(([, kind]) => kind === frame.pageKind)?.[0] ?? ""],
    ["recommended", String(frame.recommendedCount)],
    ["alternative", String(frame.alternativeCount)],
    ["list", readyListText(frame.readyList)],
    ["sources", weightsText(frame.sources) || "automatic"],
    ...ruleLines(frame.rules),
    ["exploration", frame.exploration === 0 ? "" : String(frame.exploration)],
    ["diversity", String(frame.diversity)],
    ["viewed too", yes(frame.includeViewed)],
    ["bought too", frame.rebuyDelay ? `after ${daysOf(frame.rebuyDelay)} days` : yes(frame.includeBought)],
    ["out of stock too", frame.inStockOnly === undefined ? "where a filter says so" : yes(!frame.inStockOnly)],
    ["rotation", rotationText(frame)],
    ["fallback", yes(frame.fallback !== false)],
    ["pinned", frame.pinnedProductIds.join(", ")],
    ["banned", frame.bannedProductIds.join(", ")],
    ["filter", filterText(frame.filter)],
    ...frame.variants.map((variant) => [`variant ${variant.name}`, variantText(variant)] as const),
  ];
  return lines.filter(([, text]) => text !== "");
}

function rotationText({ rotation, rotationRate = 0, rotationPeriod }: FrameConfiguration): string {
  return rotation === false ? "no" : `${rotationRate} of a list, for ${daysOf(rotationPeriod) ?? 0} days`;
}

function filterText(filter: FrameConfiguration["filter"]): string {
  if (filter === undefined) return "";
  const { min = "", max = "", currency = "" } = filter.price ?? {};
  const rules = [
    ["one of", filter.anyGroupIds.join(", ")],
    ["each of", filter.allGroupIds.join(", ")],
    ["none of", filter.excludedGroupIds.join(", ")],
    ["without", filter.excludedProductIds.join(", ")],
    ["price", min + max === "" ? "" : `${min || "0"} to ${max || "any"} ${currency}`.trim()],
  ];
  return rules.flatMap(([name, text]) => (text ? [`${name} ${text}`] : [])).join("; ");
}

function weightsText(sources: readonly SourceWeight[]): string {
  const name = (source: RecommendationSource) => SOURCES.find(([, known]) => known === source)?.[0] ?? "unknown";
  return sources.map(({ source, weight }) => `${name(source)} ${weight}`).join(", ");
}

function variantText(variant: FrameVariant): string {
  const changed = [
    variant.recommendedCount !== undefined && `recommended ${variant.recommendedCount}`,
    variant.alternativeCount !== undefined && `alternative ${variant.alternativeCount}`,
    variant.sourceChoice && `sources ${weightsText(variant.sourceChoice.sources) || "automatic"}`,
    variant.diversity !== undefined && `diversity ${variant.diversity}`,
    variant.includeViewed !== undefined && `viewed too ${yes(variant.includeViewed)}`,
    variant.includeBought !== undefined && `bought too ${yes(variant.includeBought)}`,
    variant.rotation !== undefined && `rotation ${yes(variant.rotation)}`,
    variant.rotationRate !== undefined && `rotation rate ${variant.rotationRate}`,
    variant.rotationPeriod && `rotation days ${daysOf(variant.rotationPeriod)}`,
    variant.rules &&
      `rules ${
        ruleLines(variant.rules)
          .flatMap(([name, text]) => (text ? [`${name} ${text}`] : []))
          .join("; ") || "none"
      }`,
    variant.exploration !== undefined && `exploration ${variant.exploration}`,
    variant.readyList && `list ${readyListText(variant.readyList) || "none"}`,
    variant.fallback !== undefined && `fallback ${yes(variant.fallback)}`,
    variant.filter && `filter ${filterText(variant.filter) || "none"}`,
    variant.pinChoice && `pinned ${variant.pinChoice.productIds.join(", ") || "none"}`,
  ].filter((text) => typeof text === "string");
  return `weight ${variant.weight}: ${changed.length === 0 ? "as the frame" : changed.join(", ")}`;
}

function yes(value: boolean): string {
  return value ? "yes" : "no";
}
