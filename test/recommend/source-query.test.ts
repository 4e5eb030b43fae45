import { describe, expect, it } from "vitest";
import type { InteractionType } from "../../src/domain/interaction.js";
import type { ServingModel } from "../../src/learning/sources/source.js";
import { sourceQuery } from "../../src/recommend/gather/source-query.js";
import { visitorContext } from "../../src/recommend/request/visitor-context.js";

const DAY = 86_400_000;
const IDS = ["a", "b", "c"];
const MODEL: ServingModel = {
  modelId: "m",
  productIds: IDS,
  indexOf: (productId) => (IDS.includes(productId) ? IDS.indexOf(productId) : undefined),
  sources: [],
  byPopularity: new Uint32Array(0),
  popularity: new Float32Array(0),
};

function asked(steps: [InteractionType, number, ...string[]][], current: string[] = []) {
  const known = steps.map(([type, day, ...productIds]) => ({ type, at: day * DAY, productIds, ref: `${day}` }));
  const context = visitorContext([], known, () => undefined, 10 * DAY);
  return sourceQuery(context, current, MODEL, 10 * DAY);
}

describe("the purchases of a query", () => {
  it("include the orders of a visitor who did nothing else", () => {
    expect(
      asked([
        ["order", 1, "a", "b"],
        ["order", 4, "b", "gone"],
      ]).purchases,
    ).toEqual({
      products: Uint32Array.of(0, 1),
      times: Float32Array.of(1, 2),
      days: Float32Array.of(9, 6),
      orders: 2,
    });
  });

  it("are empty when the visitor views something, has a cart, or ordered nothing known", () => {
    expect(asked([["order", 1, "a"]], ["b"]).purchases).toBeUndefined();
    expect(
      asked([
        ["order", 1, "a"],
        ["product_view", 2, "b"],
      ]).purchases,
    ).toBeUndefined();
    expect(
      asked([
        ["order", 1, "a"],
        ["add_to_cart", 10, "b"],
      ]).purchases,
    ).toBeUndefined();
    expect(asked([]).purchases).toBeUndefined();
    expect(asked([["order", 1, "gone"]]).purchases).toBeUndefined();
  });
});
