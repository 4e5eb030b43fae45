import { describe, expect, it } from "vitest";
import {
  bestsellers,
  countsBetween,
  type DailyCounts,
  dailyCounts,
  decodeDailyCounts,
  encodeDailyCounts,
  trending,
} from "../../../../src/learning/sources/popularity/daily-counts.js";

const DAY = 86_400_000;
const CUT_OFF = 100 * DAY;
const VIEW = 1;
const ORDER = 5;

/** One meeting: product, age in days, weight, and how often. */
type Met = readonly [product: number, daysAgo: number, weight: number, times?: number];

function countsOf(products: number, met: readonly Met[]): DailyCounts {
  const all = met.flatMap(([product, daysAgo, weight, times = 1]) => Array(times).fill([product, daysAgo, weight]));
  const meetings = {
    productIndices: Uint32Array.from(all, ([product]) => product),
    at: Float64Array.from(all, ([, daysAgo]) => CUT_OFF - daysAgo * DAY),
    weights: Float32Array.from(all, ([, , weight]) => weight),
  };
  return dailyCounts(meetings, products, CUT_OFF);
}

describe("bestsellers", () => {
  // Product 0 sold three times a month ago, product 1 twice this week, product 2 once today, product 3 only viewed.
  const counts = countsOf(4, [
    [0, 30, ORDER, 3],
    [1, 5, ORDER, 2],
    [2, 0, ORDER],
    [3, 1, VIEW, 50],
  ]);

  it("are in the order of the orders of the period", () => {
    expect([...bestsellers(counts, 7).indices]).toEqual([1, 2]);
    expect([...bestsellers(counts, 60).indices]).toEqual([0, 1, 2]);
  });

  it("come by their views among equal orders, which outweigh no order", () => {
    const equal = countsOf(3, [
      [0, 1, ORDER],
      [1, 1, ORDER],
      [1, 1, VIEW, 9],
      [2, 1, ORDER, 2],
    ]);
    expect([...bestsellers(equal, 7).indices]).toEqual([2, 1, 0]);
  });
});

describe("trending products", () => {
  it("are those that grew, not those that sell most", () => {
    // Product 0 is viewed 100 times a day all along; product 1 went from 2 to 10 a day; product 2 fell.
    const days = Array.from({ length: 28 }, (_, day) => day);
    const counts = countsOf(3, [
      ...days.map((day): Met => [0, day, VIEW, 100]),
      ...days.map((day): Met => [1, day, VIEW, day < 7 ? 10 : 2]),
      ...days.map((day): Met => [2, day, VIEW, day < 7 ? 1 : 10]),
    ]);
    const { indices, scores } = trending(counts, 7);
    expect(indices[0]).toBe(1);
    expect(scores[0]).toBeGreaterThan(2);
    expect([...indices]).not.toContain(2);
  });

  it("are not products with a few views after none", () => {
    const days = Array.from({ length: 28 }, (_, day) => day);
    const counts = countsOf(3, [
      ...days.map((day): Met => [0, day, VIEW, day < 7 ? 20 : 10]),
      ...days.map((day): Met => [2, day, VIEW, 100]),
      [1, 1, VIEW, 3],
    ]);
    expect(trending(counts, 7).indices[0]).toBe(0);
  });

  it("are none without days before", () => {
    expect([...trending(countsOf(1, [[0, 1, ORDER, 9]]), 7).indices]).toEqual([]);
  });
});

describe("daily counts", () => {
  const counts = countsOf(3, [
    [2, 0, ORDER],
    [0, 89, VIEW, 2],
    [0, 90, VIEW],
    [1, -1, ORDER],
  ]);

  it("keep 90 days, and count a later meeting as of the last one", () => {
    expect(countsBetween(counts, 0, 0, 90)).toEqual({ orders: 0, views: 2 });
    expect(countsBetween(counts, 1, 0, 1)).toEqual({ orders: 1, views: 0 });
  });

  it("are the same after encoding and decoding, and refuse another number of products", () => {
    expect(decodeDailyCounts(encodeDailyCounts(counts), 3)).toEqual(counts);
    expect(() => decodeDailyCounts(encodeDailyCounts(counts), 2)).toThrow("rows that do not fit");
  });
});
