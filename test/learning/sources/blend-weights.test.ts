import { describe, expect, it } from "vitest";
import {
  type BlendWeights,
  blendHistoryOf,
  blendPageOf,
  decodeBlendWeights,
  encodeBlendWeights,
} from "../../../src/learning/sources/blend-weights.js";

const weights = (collaborative: number) => ({
  collaborative,
  cart: 0.5,
  association_rules: 0.25,
  semantic: 0,
  popularity: 0.125,
});

const BLEND: BlendWeights = { cart: { one: weights(1), few: weights(0.3), many: weights(0) } };

describe("the weights of a blend", () => {
  it("are the same after decoding, also for a page without any", () => {
    expect(decodeBlendWeights(encodeBlendWeights(BLEND))).toEqual(BLEND);
    expect(decodeBlendWeights(encodeBlendWeights({}))).toEqual({});
  });

  it("are rejected in another format, of another number and below 0", () => {
    const section = encodeBlendWeights(BLEND);
    const { weights: array } = section.arrays;
    expect(() => decodeBlendWeights({ ...section, formatNumber: 2 })).toThrow("format 2");
    expect(() => decodeBlendWeights({ ...section, arrays: {} })).toThrow("more or fewer");
    const negative = Float64Array.from(array ?? [], (weight) => -weight);
    expect(() => decodeBlendWeights({ ...section, arrays: { weights: negative } })).toThrow("negative or invalid");
  });
});

describe("the situation of a query", () => {
  it("is browsing without a cart, on any page", () => {
    expect(blendPageOf({ hasCart: false, isViewing: true })).toBe("browsing");
    expect(blendPageOf({ hasCart: false, isViewing: false })).toBe("browsing");
  });

  it("separates a product page with a cart from the cart page", () => {
    expect(blendPageOf({ hasCart: true, isViewing: true })).toBe("browsing_with_cart");
    expect(blendPageOf({ hasCart: true })).toBe("cart");
  });

  it("separates histories by their number of products", () => {
    const history = (count: number) =>
      blendHistoryOf({
        session: { items: new Uint32Array(count), weights: new Float32Array(count), runs: new Uint32Array(count) },
      });
    expect([0, 1, 2, 4, 5, 60].map(history)).toEqual(["one", "one", "few", "few", "many", "many"]);
  });
});
