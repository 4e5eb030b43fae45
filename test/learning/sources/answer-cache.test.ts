import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Candidates } from "../../../src/learning/common/candidates.js";
import { createAnswerCache } from "../../../src/learning/sources/answer-cache.js";

/** `k` candidates of a product, or as many as there are. */
function candidatesOf(product: number, k: number, all = Number.POSITIVE_INFINITY): Candidates {
  const length = Math.min(k, all);
  return {
    indices: Uint32Array.from({ length }, (_, i) => product + i + 1),
    scores: Float64Array.from({ length }, (_, i) => 1 / (product + i + 2)),
  };
}

function keeper(productCount: number, most = 2000) {
  const kept = createAnswerCache(productCount, most);
  const found: number[] = [];
  const ask = (product: number, k = 5): Candidates =>
    kept.of(product, k, (wanted) => {
      found.push(product);
      return candidatesOf(product, wanted, product % 7);
    });
  return { ask, found };
}

describe("the cache of a source's answers", () => {
  it("computes a product's answer once", () => {
    const { ask, found } = keeper(100);
    expect(ask(6)).toEqual(ask(6));
    expect(found).toEqual([6]);
  });

  it("returns the beginning of an answer when fewer are asked for", () => {
    const { ask, found } = keeper(100);
    ask(6, 5);
    expect(ask(6, 3)).toEqual(candidatesOf(6, 3));
    expect(found).toEqual([6]);
  });

  it("computes again when more are asked for", () => {
    const { ask, found } = keeper(100);
    ask(6, 3);
    expect(ask(6, 5)).toEqual(candidatesOf(6, 5));
    expect(ask(6, 3)).toEqual(candidatesOf(6, 3));
    expect(found).toEqual([6, 6]);
  });

  it("keeps no very long answers", () => {
    const { ask, found } = keeper(100);
    ask(6, 401);
    ask(6, 401);
    expect(found).toEqual([6, 6]);
  });

  it("keeps answers of a quarter of the products, and evicts those not asked for again", () => {
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

  it("returns what would be computed, whatever is asked for in whatever order", () => {
    const questions = fc.array(fc.record({ product: fc.nat(1999), k: fc.integer({ min: 1, max: 12 }) }));
    fc.assert(
      fc.property(questions, fc.constantFrom(1, 3, 300), (asked, most) => {
        const { ask } = keeper(2000, most);
        for (const { product, k } of [...asked, ...asked])
          expect(ask(product, k)).toEqual(candidatesOf(product, k, product % 7));
      }),
    );
  });

  it("holds hundreds of products", () => {
    const { ask, found } = keeper(4000, 600 * 5);
    for (const turn of [0, 1])
      for (let product = 0; product < 600; product++)
        expect(ask(product), `turn ${turn}`).toEqual(candidatesOf(product, 5, product % 7));
    expect(found).toHaveLength(600);
  });
});
