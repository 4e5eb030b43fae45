import { describe, expect, it } from "vitest";
import type { Candidates } from "../../../src/algorithms/candidates.js";
import { createKeptAnswers } from "../../../src/model/sources/kept-answers.js";

function keeper(productCount: number) {
  const kept = createKeptAnswers<Candidates>(productCount, 2000);
  const found: number[] = [];
  const ask = (product: number, k = 5): Candidates =>
    kept.of(product, k, () => {
      found.push(product);
      return { indices: Uint32Array.of(product), scores: Float64Array.of(k) };
    });
  return { ask, found };
}

describe("kept answers", () => {
  it("are found once for a product", () => {
    const { ask, found } = keeper(100);
    expect(ask(7)).toBe(ask(7));
    expect(found).toEqual([7]);
  });

  it("are found anew when another number of candidates is asked for", () => {
    const { ask, found } = keeper(100);
    ask(7, 5);
    expect(ask(7, 6).scores[0]).toBe(6);
    expect(found).toEqual([7, 7]);
  });

  it("are those of a quarter of the products, asked for last", () => {
    const { ask, found } = keeper(8);
    ask(1);
    ask(2);
    ask(1);
    ask(3);
    ask(1);
    expect(found).toEqual([1, 2, 3]);
    ask(2);
    expect(found).toEqual([1, 2, 3, 2]);
  });
});
