import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceOfMeeting } from "../../../../src/learning/sources/rules/significance.js";

function over(n: number, k: number): bigint {
  let found = 1n;
  for (let i = 0; i < k; i++) found = (found * BigInt(n - i)) / BigInt(i + 1);
  return k < 0 || k > n ? 0n : found;
}

/** By whole numbers, to twelve digits. */
function exactly(n: number, both: number, a: number, c: number): number {
  let ways = 0n;
  for (let x = both; x <= Math.min(a, c); x++) ways += over(a, x) * over(n - a, c - x);
  return Number((ways * 10n ** 12n) / over(n, c)) / 1e12;
}

describe("the significance of a pair", () => {
  it("is the chance worked out by hand", () => {
    // A lady tells all four cups of eight: 1 of 70 ways; at least three: 17 of 70.
    expect(chanceOfMeeting(8, 4, 4, 4)).toBeCloseTo(1 / 70, 10);
    expect(chanceOfMeeting(8, 3, 4, 4)).toBeCloseTo(17 / 70, 10);
  });

  it("is lower for one joint order of two rare products than for many of a smaller lift", () => {
    expect(chanceOfMeeting(1000, 1, 1, 1)).toBeCloseTo(0.001, 12);
    expect(chanceOfMeeting(1000, 30, 100, 100)).toBeLessThan(1e-8);
  });

  it("is 1 for the certain and 0 for the impossible", () => {
    expect([chanceOfMeeting(10, 0, 4, 5), chanceOfMeeting(10, 3, 8, 5), chanceOfMeeting(10, 5, 4, 5)]).toEqual([
      1, 1, 0,
    ]);
  });

  it("is the exact share of all arrangements", () => {
    const anyTable = fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.nat(60), fc.nat(60), fc.nat(60))
      .map(([n, a, c, both]) => ({ n, a: a % (n + 1), c: c % (n + 1), both: both % (n + 1) }));
    fc.assert(
      fc.property(anyTable, ({ n, a, c, both }) => {
        expect(chanceOfMeeting(n, both, a, c)).toBeCloseTo(exactly(n, both, a, c), 9);
      }),
    );
  });
});
