/** Converts between typed rules of a frame and their message. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";
import {
  type Boost,
  type BoostSchema,
  type FrameRules,
  type FrameRulesSchema,
  RelativeFilter,
} from "../gen/aisle/v1/frame_rules_pb.js";
import { daysOf, durationOfDays } from "./days.js";

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
export function ruleLines(rules: FrameRules | undefined): (readonly [string, string])[] {
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
