import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodePopularity,
  encodePopularity,
  mostPopular,
  mostPopularByGroup,
  popularInGroup,
  popularity,
} from "../../src/algorithms/popularity.js";
import { rowsFrom } from "../../src/algorithms/rows.js";

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

  it("halves a meeting with every half-life of age", () => {
    expect([...scores]).toEqual([4 / 4 + 4 / 2, 4, 1, 0]);
  });

  it("counts a meeting after the cut-off as if it happened then", () => {
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

  it("puts the most popular first and leaves out what was never met", () => {
    expect([...mostPopular(scores, 9).indices]).toEqual([1, 0, 2]);
    expect([...mostPopular(scores, 1).indices]).toEqual([1]);
  });

  it("proposes allowed products only, each once", () => {
    expect([...mostPopular(scores, 9, [2, 0, 3, 2, 99]).indices]).toEqual([0, 2]);
  });

  it("breaks ties by falling product index", () => {
    expect([...mostPopular(Float32Array.of(1, 2, 1, 2), 4).indices]).toEqual([3, 1, 2, 0]);
  });
});

describe("mostPopularByGroup", () => {
  const scores = Float32Array.of(5, 1, 0, 3, 4);
  // Group 0 holds products 0, 1 and 4, group 1 is empty, group 2 holds 2 and 3.
  const popular = mostPopularByGroup(scores, rowsFrom([[0, 1, 4], [], [2, 3]]), 2);

  it("keeps the leaders of each group", () => {
    expect(popularInGroup(popular, 0, 10)).toEqual({ indices: Uint32Array.of(0, 4), scores: Float64Array.of(5, 4) });
    expect([...popularInGroup(popular, 0, 1).indices]).toEqual([0]);
    expect([...popularInGroup(popular, 1, 10).indices]).toEqual([]);
    expect([...popularInGroup(popular, 2, 10).indices]).toEqual([3]);
  });

  it("knows no leaders of an unknown group", () => {
    expect([...popularInGroup(popular, 3, 10).indices]).toEqual([]);
  });

  it("answers the same after decoding", () => {
    const anyScores = fc.array(fc.float({ min: 0, max: 100, noNaN: true }), { minLength: 6, maxLength: 6 });
    const anyGroups = fc.array(fc.array(fc.nat(5), { maxLength: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(anyScores, anyGroups, (list, groups) => {
        const fitted = mostPopularByGroup(Float32Array.from(list), rowsFrom(groups), 3);
        const decoded = decodePopularity(encodePopularity(fitted));
        for (let group = 0; group <= groups.length; group++) {
          expect(popularInGroup(decoded, group, 5)).toEqual(popularInGroup(fitted, group, 5));
        }
        expect(mostPopular(decoded.scores, 6)).toEqual(mostPopular(fitted.scores, 6));
      }),
    );
  });

  it("refuses another format and rows that do not fit", () => {
    const section = encodePopularity(popular);
    expect(() => decodePopularity({ ...section, formatNumber: 9 })).toThrow("format 9");
    expect(() => decodePopularity({ ...section, arrays: { ...section.arrays, items: new Uint32Array(1) } })).toThrow(
      "offsets",
    );
  });
});
