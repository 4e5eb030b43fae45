/** Converts between typed values of a frame and its message. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import {
  type FrameConfiguration,
  type FrameVariant,
  PageKind,
  type SourceWeight,
} from "../gen/aisle/v1/frame_configuration_pb.js";
import {
  type Boost,
  type BoostSchema,
  type FrameRules,
  type FrameRulesSchema,
  RelativeFilter,
} from "../gen/aisle/v1/frame_rules_pb.js";
import { type ReadyList, ReadyListKind } from "../gen/aisle/v1/ready_list_pb.js";
import { AvailabilityFilter, type RecommendationFilterSchema } from "../gen/aisle/v1/recommendation_filter_pb.js";
import { RecommendationSource } from "../gen/aisle/v1/recommendation_reason_pb.js";
import { daysOf, durationOfDays } from "./message-values.js";
import { choice } from "./option-values.js";

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

export const pageKind = choice(PAGES, `One of ${PAGES.map(([name]) => name).join(", ")}`);

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

export function yes(value: boolean): string {
  return value ? "yes" : "no";
}

/** Converts between typed rules of a frame and their message. */

const RELATIVE: readonly (readonly [string, RelativeFilter])[] = [
  ["same-brand", RelativeFilter.SAME_BRAND],
  ["same-category", RelativeFilter.SAME_CATEGORY],
  ["dearer", RelativeFilter.DEARER],
  ["cheaper", RelativeFilter.CHEAPER],
];

export type TypedBoost = MessageInitShape<typeof BoostSchema>;

export interface TypedRelative {
  readonly filters: readonly RelativeFilter[];
  readonly attributes: readonly string[];
}

const BOOST_FORMS = "GROUP=2, attribute:NAME:VALUE=2, margin:0.3..=2, stock:..5=0.5 or age:..14=2 (days) is accepted.";

/** `brand:Acme=2`, `margin:0.3..=1.5`: a condition and its factor. Each use of the option adds one. */
export function boost(text: string, earlier: readonly TypedBoost[] = []): readonly TypedBoost[] {
  const at = text.lastIndexOf("=");
  const [condition, factor] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (condition === "" || !/^\d*\.?\d{1,9}$/.test(factor)) throw new InvalidArgumentError(BOOST_FORMS);
  return [...earlier, { factor: Number(factor), condition: conditionOf(condition) }];
}

function conditionOf(text: string): NonNullable<TypedBoost["condition"]> {
  const attribute = /^attribute:([^:]+):(.+)$/.exec(text);
  if (attribute !== null) return { case: "attribute", value: { name: attribute[1]!, value: attribute[2]! } };
  const range = /^(margin|stock|age):(-?[\d.]*?)\.\.(-?[\d.]*)$/.exec(text);
  if (range === null) {
    if (/^(attribute|margin|stock|age):/.test(text)) throw new InvalidArgumentError(BOOST_FORMS);
    return { case: "group", value: text };
  }
  const [min, max] = [range[2]!, range[3]!].map((end) => (end === "" ? undefined : Number(end)));
  if ([min, max].some((end) => end !== undefined && Number.isNaN(end))) throw new InvalidArgumentError(BOOST_FORMS);
  const ends = <T>(of: (end: number) => T) => ({
    ...(min !== undefined && { min: of(min) }),
    ...(max !== undefined && { max: of(max) }),
  });
  if (range[1] === "age") return { case: "age", value: ends(durationOfDays) };
  return { case: range[1] === "margin" ? "margin" : "stock", value: ends((end) => end) };
}

/** `same-brand`, `dearer`, `same:line`: a comparison with the product viewed. Each use of the option adds one. */
export function relativeTo(text: string, earlier: TypedRelative = { filters: [], attributes: [] }): TypedRelative {
  const filter = RELATIVE.find(([name]) => name === text)?.[1];
  if (filter !== undefined) return { ...earlier, filters: [...earlier.filters, filter] };
  const attribute = /^same:(.+)$/.exec(text)?.[1];
  if (attribute !== undefined) return { ...earlier, attributes: [...earlier.attributes, attribute] };
  const names = RELATIVE.map(([name]) => name).join(", ");
  throw new InvalidArgumentError(`One of ${names}, or same:ATTRIBUTE, is accepted.`);
}

/** The rules that were typed; undefined for none. */
export function typedRules(options: {
  readonly boost?: readonly TypedBoost[];
  readonly beside?: TypedRelative;
  readonly maxPerBrand?: number;
  readonly maxPerCategory?: number;
}): MessageInitShape<typeof FrameRulesSchema> | undefined {
  const { boost: boosts = [], beside, maxPerBrand = 0, maxPerCategory = 0 } = options;
  if (boosts.length === 0 && beside === undefined && maxPerBrand === 0 && maxPerCategory === 0) return undefined;
  return {
    boosts: [...boosts],
    relativeFilters: [...(beside?.filters ?? [])],
    sameAttributes: [...(beside?.attributes ?? [])],
    maxPerBrand,
    maxPerCategory,
  };
}

export function boostText({ factor, condition }: Boost): string {
  return `${conditionText(condition)} x${factor}`;
}

function conditionText(condition: Boost["condition"]): string {
  switch (condition.case) {
    case "group":
      return condition.value;
    case "attribute":
      return `${condition.value.name} ${condition.value.value}`;
    case "margin":
    case "stock":
      return `${condition.case} ${condition.value.min ?? ""}..${condition.value.max ?? ""}`;
    case "age":
      return `age ${daysText(condition.value.min)}..${daysText(condition.value.max)} days`;
    default:
      return "other";
  }
}

function daysText(duration: Duration | undefined): string {
  return String(daysOf(duration) ?? "");
}

/** The rules as lines of a name and a text; "" where there is no such rule. */
function ruleLines(rules: FrameRules | undefined): (readonly [string, string])[] {
  if (rules === undefined) return [];
  const relative = rules.relativeFilters.map(
    (filter) => RELATIVE.find(([, known]) => known === filter)?.[0] ?? "other",
  );
  return [
    ["boosts", rules.boosts.map(boostText).join(", ")],
    ["beside", [...relative, ...rules.sameAttributes.map((name) => `same ${name}`)].join(", ")],
    ["most per brand", rules.maxPerBrand === 0 ? "" : String(rules.maxPerBrand)],
    ["most per category", rules.maxPerCategory === 0 ? "" : String(rules.maxPerCategory)],
  ];
}

/** Converts between typed ready lists of a frame and their message. */

const LISTS: readonly (readonly [string, ReadyListKind])[] = [
  ["recently-viewed", ReadyListKind.RECENTLY_VIEWED],
  ["buy-again", ReadyListKind.BUY_AGAIN],
  ["new-arrivals", ReadyListKind.NEW_ARRIVALS],
  ["trending", ReadyListKind.TRENDING],
  ["bestsellers", ReadyListKind.BESTSELLERS],
];

/** A ready list, with a period where one was typed. */
export interface TypedList {
  readonly kind: ReadyListKind;
  readonly period?: Duration;
}

/** `bestsellers=7`: a list and its days. */
export function readyList(text: string): TypedList {
  const [name, days] = text.split("=", 2);
  const kind = LISTS.find(([known]) => known === name)?.[1];
  if (kind === undefined || (days !== undefined && !/^[1-9]\d{0,2}$/.test(days)))
    throw new InvalidArgumentError(
      `A list, and =days, is accepted; lists are ${LISTS.map(([known]) => known).join(", ")}.`,
    );
  return days === undefined ? { kind } : { kind, period: durationOfDays(Number(days)) };
}

function readyListText(list: Pick<ReadyList, "kind" | "period"> | undefined): string {
  const name = LISTS.find(([, kind]) => kind === list?.kind)?.[0];
  if (name === undefined) return "";
  return list?.period === undefined ? name : `${name} of ${daysOf(list.period)} days`;
}

/** The typed options of a filter. */
export interface FilterOptions {
  readonly group?: readonly string[];
  readonly allGroups?: readonly string[];
  readonly withoutGroup?: readonly string[];
  readonly exclude?: readonly string[];
  readonly minPrice?: string;
  readonly maxPrice?: string;
  readonly currency?: string;
  readonly outOfStock?: boolean;
}

export function filterOf(options: FilterOptions): MessageInitShape<typeof RecommendationFilterSchema> {
  const { minPrice: min = "", maxPrice: max = "", currency = "" } = options;
  return {
    anyGroupIds: [...(options.group ?? [])],
    allGroupIds: [...(options.allGroups ?? [])],
    excludedGroupIds: [...(options.withoutGroup ?? [])],
    excludedProductIds: [...(options.exclude ?? [])],
    ...(min + max !== "" && { price: { min, max, currency } }),
    ...(options.outOfStock && { availability: AvailabilityFilter.ANY }),
  };
}
