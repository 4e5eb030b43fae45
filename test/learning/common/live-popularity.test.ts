import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LivePopularity } from "../../../src/learning/common/live-popularity.js";

const falling = (scores: Float32Array) =>
  Uint32Array.from([...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b));

describe("live popularity", () => {
  it("keeps all products in falling order whatever is added and taken back", () => {
    const scores = fc.array(fc.nat(5), { minLength: 1, maxLength: 40 });
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: -3, max: 5 })), { maxLength: 40 });
    fc.assert(
      fc.property(scores, changes, (begin, steps) => {
        const fitted = Float32Array.from(begin);
        const live = new LivePopularity(fitted, fitted.slice(), falling(fitted));
        const expected = Float64Array.from(begin);
        for (const [n, amount] of steps) {
          live.add(n % begin.length, amount);
          expected[n % begin.length]! += amount;
        }
        expect(live.scores).toEqual(Float32Array.from(expected));
        expect(live.order).toEqual(falling(live.scores));
        expect(fitted).toEqual(Float32Array.from(begin));
      }),
    );
  });
});
