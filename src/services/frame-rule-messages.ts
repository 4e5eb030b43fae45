import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgument } from "../domain/errors.js";
import { type Boost, type FrameRules, NO_RULES, type RelativeFilter } from "../domain/frame-rules.js";
import { cleanId } from "../domain/ids.js";
import {
  type Boost as BoostMessage,
  type BoostSchema,
  type FrameRules as FrameRulesMessage,
  type FrameRulesSchema,
  RelativeFilter as RelativeFilterMessage,
} from "../gen/aisle/v1/frame_rules_pb.js";
import { daysOf, durationOfDays } from "./day-durations.js";

const MAX_BOOSTS = 20;
const MAX_ATTRIBUTES = 10;
const MAX_PER = 100;
const LEAST_FACTOR = 0.01;
const MOST_FACTOR = 100;

const RELATIVE: readonly (readonly [RelativeFilter, RelativeFilterMessage])[] = [
  ["same_brand", RelativeFilterMessage.SAME_BRAND],
  ["same_category", RelativeFilterMessage.SAME_CATEGORY],
  ["dearer", RelativeFilterMessage.DEARER],
  ["cheaper", RelativeFilterMessage.CHEAPER],
];

/** Reads the rules of a frame, or throws InvalidArgument with the path of the invalid field. */
export function readRules(path: string, asked: FrameRulesMessage | undefined): FrameRules {
  if (asked === undefined) return NO_RULES;
  const { boosts, relativeFilters, sameAttributes } = asked;
  if (boosts.length > MAX_BOOSTS) throw new InvalidArgument(`${path}.boosts`, "invalid", `at most ${MAX_BOOSTS}`);
  if (sameAttributes.length > MAX_ATTRIBUTES)
    throw new InvalidArgument(`${path}.same_attributes`, "invalid", `at most ${MAX_ATTRIBUTES}`);
  const relative = relativeFilters.map((message, i) => {
    const found = RELATIVE.find(([, known]) => known === message)?.[0];
    if (found === undefined)
      throw new InvalidArgument(
        `${path}.relative_filters[${i}]`,
        "invalid",
        "SAME_BRAND, SAME_CATEGORY, DEARER or CHEAPER",
      );
    return found;
  });
  if (relative.includes("dearer") && relative.includes("cheaper"))
    throw new InvalidArgument(`${path}.relative_filters`, "invalid", "DEARER or CHEAPER, not both");
  return {
    boosts: boosts.map((boost, i) => readBoost(`${path}.boosts[${i}]`, boost)),
    relative: [...new Set(relative)],
    sameAttributes: [...new Set(sameAttributes.map((name, i) => named(`${path}.same_attributes[${i}]`, name)))],
    maxPerBrand: most(`${path}.max_per_brand`, asked.maxPerBrand),
    maxPerCategory: most(`${path}.max_per_category`, asked.maxPerCategory),
  };
}

function readBoost(path: string, { factor, condition }: BoostMessage): Boost {
  if (!(factor >= LEAST_FACTOR && factor <= MOST_FACTOR))
    throw new InvalidArgument(`${path}.factor`, "invalid", `${LEAST_FACTOR} to ${MOST_FACTOR}`);
  const plain = { factor, name: "", value: "", min: null, max: null };
  switch (condition.case) {
    case "group":
      return { ...plain, condition: "group", name: named(`${path}.group`, condition.value) };
    case "attribute": {
      const { name, value } = condition.value;
      const wanted = named(`${path}.attribute.value`, value).trim().toLowerCase();
      return { ...plain, condition: "attribute", name: named(`${path}.attribute.name`, name), value: wanted };
    }
    case "margin":
    case "stock":
      return { ...plain, condition: condition.case, ...range(`${path}.${condition.case}`, condition.value) };
    case "age": {
      const { min, max } = condition.value;
      return { ...plain, condition: "age", ...range(`${path}.age`, { min: daysOf(min), max: daysOf(max) }) };
    }
    case undefined:
      throw new InvalidArgument(`${path}.condition`, "missing");
  }
}

function named(path: string, text: string): string {
  if (text === "") throw new InvalidArgument(path, "missing");
  if (cleanId(text) !== text)
    throw new InvalidArgument(path, "invalid", "at most 255 bytes without control characters");
  return text;
}

function range(path: string, { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }) {
  if (min === undefined && max === undefined) throw new InvalidArgument(path, "missing");
  if ([min, max].some((end) => end !== undefined && !Number.isFinite(end)) || (min ?? max ?? 0) > (max ?? min ?? 0))
    throw new InvalidArgument(path, "invalid", "finite numbers, min not above max");
  return { min: min ?? null, max: max ?? null };
}

function most(path: string, value: number): number {
  if (value < 0 || value > MAX_PER) throw new InvalidArgument(path, "invalid", `0 to ${MAX_PER}`);
  return value;
}

export function rulesMessage(rules: FrameRules): MessageInitShape<typeof FrameRulesSchema> {
  return {
    boosts: rules.boosts.map(boostMessage),
    relativeFilters: rules.relative.map(
      (name) => RELATIVE.find(([known]) => known === name)?.[1] ?? RelativeFilterMessage.UNSPECIFIED,
    ),
    sameAttributes: [...rules.sameAttributes],
    maxPerBrand: rules.maxPerBrand,
    maxPerCategory: rules.maxPerCategory,
  };
}

export function boostMessage({ factor, condition, name, value, ...ends }: Boost): MessageInitShape<typeof BoostSchema> {
  const numbers = { ...(ends.min !== null && { min: ends.min }), ...(ends.max !== null && { max: ends.max }) };
  switch (condition) {
    case "group":
      return { factor, condition: { case: "group", value: name } };
    case "attribute":
      return { factor, condition: { case: "attribute", value: { name, value } } };
    case "margin":
    case "stock":
      return { factor, condition: { case: condition, value: numbers } };
    case "age": {
      const durations = {
        ...(ends.min !== null && { min: durationOfDays(ends.min) }),
        ...(ends.max !== null && { max: durationOfDays(ends.max) }),
      };
      return { factor, condition: { case: "age", value: durations } };
    }
  }
}
