import type { Boost } from "../../src/gen/aisle/v1/frame_rules_pb.js";
import { daysOf } from "./days.js";
import { shortNumber } from "./reasons.js";

/** A boost of a frame in words, such as "stock up to 5: counts 0.5 times". */
export function boostText({ factor, condition }: Boost): string {
  return `${conditionText(condition)}: counts ${shortNumber(factor)} times`;
}

function conditionText(condition: Boost["condition"]): string {
  switch (condition.case) {
    case "group":
      return condition.value.replace(/^brand:/, "brand ");
    case "attribute":
      return `${condition.value.name} ${condition.value.value}`;
    case "margin":
    case "stock":
      return `${condition.case} ${rangeText(condition.value.min, condition.value.max)}`;
    case "age":
      return `${rangeText(daysOf(condition.value.min), daysOf(condition.value.max))} days in the catalogue`;
    default:
      return "another condition";
  }
}

function rangeText(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `up to ${shortNumber(max ?? 0)}`;
  return max === undefined ? `from ${shortNumber(min)}` : `${shortNumber(min)} to ${shortNumber(max)}`;
}
