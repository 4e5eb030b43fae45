import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsFrom } from "../../../src/learning/common/rows.js";
import { easeScores, fitEase } from "../../../src/learning/evaluation/ease.js";
import { RUNS } from "../../fixtures/runs.js";

/** The inverse by Gauss and Jordan on whole rows. */
function inverseOf(matrix: readonly (readonly number[])[]): number[][] {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    const pivot = rows[k]!.map((value) => value / rows[k]![k]!);
    for (let i = 0; i < n; i++) rows[i] = i === k ? pivot : rows[i]!.map((v, j) => v - rows[i]![k]! * pivot[j]!);
  }
  return rows.map((row) => row.slice(n));
}

describe("EASE^R", () => {
  it("has the weights of its closed form", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.nat(8), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0.5, max: 50, noNaN: true }),
        (baskets, lambda) => {
          const { products, weights } = fitEase(rowsFrom(baskets), 9, lambda);
          const gram = Array.from(products, (a, i) =>
            Array.from(
              products,
              (b, j) => baskets.filter((row) => row.includes(a) && row.includes(b)).length + (i === j ? lambda : 0),
            ),
          );
          const inverse = inverseOf(gram);
          for (const [i, row] of inverse.entries())
            for (const [j, value] of row.entries())
              expect(weights[i * products.length + j]).toBeCloseTo(i === j ? 0 : -value / inverse[j]![j]!, 5);
        },
      ),
      { numRuns: RUNS.some },
    );
  });

  it("adds up the weights of the query products, each once, and none for an unknown product", () => {
    const fitted = fitEase(
      rowsFrom([
        [0, 2],
        [0, 2],
        [1, 3],
      ]),
      6,
      1,
    );
    const scores = easeScores(fitted, [0, 0, 5]);
    expect([...fitted.products]).toEqual([0, 1, 2, 3]);
    expect(Array.from(scores, (score) => score > 0)).toEqual([false, false, true, false]);
    expect(scores).toEqual(easeScores(fitted, [0]));
  });
});
