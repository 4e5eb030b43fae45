import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byFallingPopularity } from "../../../src/learning/snapshot/serving-model.js";
import { runAtOnce } from "../../../src/learning/snapshot/yielding-steps.js";

describe("products by popularity", () => {
  it("are ordered as by a sort by falling popularity and rising index", () => {
    const popularity = fc.float32Array({ min: 0, max: 1e6, noNaN: true, maxLength: 300 });
    fc.assert(
      fc.property(popularity, fc.boolean(), (scores, coarse) => {
        // Coarse ones have many alike; no -0, which counts of visits never are.
        const counts = scores.map((score) => Math.abs(coarse ? Math.floor(score / 1e5) : score));
        const expected = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
        expect([...runAtOnce(byFallingPopularity(counts))]).toEqual(expected);
      }),
    );
  });
});
