import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowBinner, learnBins } from "../../../../src/learning/rank/trees/bins.js";

const binOf = (bins: ReturnType<typeof learnBins>, ...values: number[]) => {
  const out = new Uint8Array(values.length);
  createRowBinner(bins)(Float32Array.from(values), 1, out, 0);
  return [...out];
};

describe("feature bins", () => {
  it("give each of a few different values its own bin", () => {
    // Two features by row: (1, 7), (2, 7), (5, 7).
    const bins = learnBins(Float32Array.of(1, 7, 2, 7, 5, 7), 2);
    expect([1, 2, 5].map((value) => binOf(bins, value, 7))).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
    expect([...bins.cuts]).toEqual([1.5, 3.5]);
  });

  it("map a value between two learned ones to the nearer", () => {
    const bins = learnBins(Float32Array.of(1, 2), 1);
    expect([binOf(bins, 1.2), binOf(bins, 1.9), binOf(bins, -9), binOf(bins, 9)]).toEqual([[0], [1], [0], [1]]);
  });

  it("hold about equal numbers of rows when there are more values than bins", () => {
    const values = Float32Array.from({ length: 1000 }, (_, i) => i * i);
    const bins = learnBins(values, 1, 4);
    const counts = [0, 0, 0, 0];
    for (const value of values) counts[binOf(bins, value)[0]!]!++;
    expect(counts).toEqual([250, 250, 250, 250]);
  });

  it("keep the order of values, and separate learned values on both sides of a cut", () => {
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 300 }), fc.integer({ min: 2, max: 256 }), (all, most) => {
        const bins = learnBins(Float32Array.from(all), 1, most);
        expect(bins.cuts.length).toBeLessThan(most);
        const sorted = Float32Array.from(all).sort();
        const found = Array.from(sorted, (value) => binOf(bins, value)[0]!);
        expect(found).toEqual([...found].sort((a, b) => a - b));
        expect(new Set(found).size).toBe(bins.cuts.length + 1);
      }),
    );
  });

  it("count the cuts below a value, also of values beside the cuts and of -0", () => {
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    const numbers = fc.array(number, { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(numbers, numbers, (learned, asked) => {
        const bins = learnBins(Float32Array.from(learned), 1);
        const values = [...asked, ...learned, ...bins.cuts, 0, -0];
        const below = values.map((value) => bins.cuts.filter((cut) => cut < value).length);
        expect(values.map((value) => binOf(bins, value)[0])).toEqual(below);
      }),
    );
  });

  it("reject incomplete rows and NaN", () => {
    expect(() => learnBins(new Float32Array(3), 2)).toThrow(RangeError);
    expect(() => learnBins(Float32Array.of(1, Number.NaN), 1)).toThrow(RangeError);
    expect(() => learnBins(Float32Array.of(1), 1, 257)).toThrow(RangeError);
  });
});
