import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanOfUnits, shareDifference, wilson } from "../../../src/learning/common/proportions.js";

describe("Wilson's interval", () => {
  // Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("for %d of %d is the published one", (hits, trials, low, high) => {
    const found = wilson(hits, trials);
    expect(found.value).toBeCloseTo(hits / trials, 12);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  it("without observations is from 0 to 1", () => {
    expect(wilson(0, 0)).toEqual({ value: 0, low: 0, high: 1 });
  });

  it("contains the share, lies between 0 and 1, and is symmetric", () => {
    const counts = fc
      .integer({ min: 1, max: 100_000 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(counts, ([hits, trials]) => {
        const { low, value, high } = wilson(hits, trials);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(value);
        expect(value).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(1);
        expect(wilson(trials - hits, trials).low).toBeCloseTo(1 - high, 9);
      }),
    );
  });
});

describe("Newcombe's interval of a difference", () => {
  // Newcombe, Interval estimation for the difference between independent proportions (1998), table II, method 10.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [10, 10, 0, 10, 0.6075, 1],
  ])("for %d of %d and %d of %d is the published one", (a, m, b, n, low, high) => {
    const found = shareDifference(wilson(a, m), wilson(b, n));
    expect(found.value).toBeCloseTo(a / m - b / n, 12);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });
});

describe("the mean of values in units", () => {
  const values = Array.from({ length: 400 }, (_, i) => Number(i % 4 === 0));
  const alone = values.map((_, i) => i);

  it("has the usual interval of a mean when each value is a unit", () => {
    const { value, low, high } = meanOfUnits(values, alone);
    expect(value).toBe(0.25);
    const reach = 1.959964 * Math.sqrt((0.25 * 0.75) / 399);
    expect([low, high]).toEqual([expect.closeTo(0.25 - reach, 6), expect.closeTo(0.25 + reach, 6)]);
  });

  it("has an interval twice as long when each value was met four times in its unit", () => {
    const repeated = values.flatMap((value) => [value, value, value, value]);
    const units = repeated.map((_, i) => Math.floor(i / 4));
    const found = meanOfUnits(repeated, units);
    expect(found.high).toBeCloseTo(meanOfUnits(values, alone).high, 9);
    const independent = meanOfUnits(
      repeated,
      repeated.map((_, i) => i),
    );
    expect(found.high - found.value).toBeCloseTo(2 * (independent.high - independent.value), 2);
  });

  it("may be anything for one unit and for none", () => {
    expect(meanOfUnits([1, 1], [7, 7])).toEqual({ value: 1, low: -1, high: 1 });
    expect(meanOfUnits([], [])).toEqual({ value: 0, low: -1, high: 1 });
  });
});
