import { expect, it } from "vitest";
import { associationRules } from "../../../src/learning/sources/rules/association-rules.js";
import { rulesSource } from "../../../src/learning/sources/rules.js";

// Products 0 and 1 are ordered together twice, 2 alone, 3 never.
const BASKETS = { offsets: Uint32Array.of(0, 2, 4, 5), items: Uint32Array.of(0, 1, 0, 1, 2) };

it("counts the orders of a product that others complete, and no orders of any other product", () => {
  const source = rulesSource(associationRules(BASKETS, 4));
  expect([0, 1, 2, 3].map((product) => source.orderCount?.(product))).toEqual([2, 2, 0, 0]);
});
