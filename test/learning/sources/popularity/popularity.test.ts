import { describe, expect, it } from "vitest";
import { mostPopular, popularity } from "../../../../src/learning/sources/popularity/popularity.js";

const DAY = 86_400_000;

describe("popularity", () => {
  // A kiosk: product 0 sold twice long ago, product 1 once today, product 2 viewed today, product 3 never met.
  const scores = popularity(
    {
      productIndices: Uint32Array.of(0, 0, 1, 2),
      at: Float64Array.of(0, 10 * DAY, 20 * DAY, 20 * DAY),
      weights: Float32Array.of(4, 4, 4, 1),
    },
    4,
    { cutOff: 20 * DAY, halfLifeMs: 10 * DAY },
  );

  it("halves an interaction with every half-life of age", () => {
    expect([...scores]).toEqual([4 / 4 + 4 / 2, 4, 1, 0]);
  });

  it("counts an interaction after the cut-off as of no age", () => {
    const later = { productIndices: Uint32Array.of(0), at: Float64Array.of(50 * DAY), weights: Float32Array.of(3) };
    expect([...popularity(later, 1, { cutOff: 20 * DAY, halfLifeMs: DAY })]).toEqual([3]);
  });

  it("adds up plain weights when the half-life is infinite", () => {
    const twice = { productIndices: Uint32Array.of(0, 0), at: Float64Array.of(0, 9), weights: Float32Array.of(3, 2) };
    expect([...popularity(twice, 1, { cutOff: 1e12, halfLifeMs: Number.POSITIVE_INFINITY })]).toEqual([5]);
  });

  it("ignores products outside the catalogue", () => {
    const outside = { productIndices: Uint32Array.of(7), at: Float64Array.of(0), weights: Float32Array.of(1) };
    expect([...popularity(outside, 2, { cutOff: 0, halfLifeMs: 1 })]).toEqual([0, 0]);
  });

  it("refuses a half-life of 0", () => {
    const none = { productIndices: new Uint32Array(0), at: new Float64Array(0), weights: new Float32Array(0) };
    expect(() => popularity(none, 1, { cutOff: 0, halfLifeMs: 0 })).toThrow("halfLifeMs");
  });

  it("ranks the most popular first and leaves out products without interactions", () => {
    expect([...mostPopular(scores, 9).indices]).toEqual([1, 0, 2]);
    expect([...mostPopular(scores, 1).indices]).toEqual([1]);
  });

  it("proposes only allowed products, each once", () => {
    expect([...mostPopular(scores, 9, [2, 0, 3, 2, 99]).indices]).toEqual([0, 2]);
  });

  it("breaks ties by falling product index", () => {
    expect([...mostPopular(Float32Array.of(1, 2, 1, 2), 4).indices]).toEqual([3, 1, 2, 0]);
  });
});
