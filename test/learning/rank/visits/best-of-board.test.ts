import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BestOfBoard } from "../../../../src/learning/rank/visits/best-of-board.js";
import { createLowerBound } from "../../../../src/learning/rank/visits/lower-bound.js";
import { ScoreTable, Slots } from "../../../../src/learning/rank/visits/score-board.js";

const MOST = 300;
const score = fc.oneof(
  fc.constantFrom(0, 0.5, 1, Number.MIN_VALUE),
  fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
);
const scored = fc.uniqueArray(fc.record({ product: fc.nat(MOST - 1), score, other: score }), {
  selector: ({ product }) => product,
  maxLength: MOST,
});

describe("the best of a board", () => {
  it.each([false, true])("are those that a full sort puts first (with a bound: %s)", (isBound) => {
    fc.assert(
      fc.property(scored, fc.integer({ min: 1, max: 90 }), fc.boolean(), (all, most, isLike) => {
        const slots = new Slots(MOST);
        const table = new ScoreTable(MOST, 3);
        for (const { product, score, other } of all) {
          const slot = slots.of(product);
          table.values[slot * 3 + 1] = score;
          table.values[slot * 3 + 2] = other;
        }
        const like = new BestOfBoard(slots, MOST);
        like.find(table.board(2));
        const best = new BestOfBoard(slots, most, isBound ? createLowerBound() : undefined);
        best.find(table.board(1), isLike ? like : undefined);
        const sorted = all.filter(({ score }) => score > 0);
        sorted.sort((a, b) => b.score - a.score || b.product - a.product);
        const expected = sorted.slice(0, most);
        expect(best.count).toBe(expected.length);
        const found = [...best.slots.subarray(0, best.count)].map((slot) => slots.products[slot]);
        expect(found).toEqual(expected.map(({ product }) => product));
        expect([...best.scores.subarray(0, best.count)]).toEqual(expected.map(({ score }) => score));
      }),
    );
  });
});

describe("the lower bound of a board", () => {
  it("is reached by at least k scores, and by few others far from it", () => {
    const bound = createLowerBound();
    fc.assert(
      fc.property(fc.array(score, { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (all, k) => {
        const scores = Float64Array.from(all);
        const least = bound.of(new Uint32Array(scores.buffer), 0, scores.length, 1, k);
        const sorted = all.filter((value) => value > 0).sort((a, b) => b - a);
        expect(least).toBeLessThanOrEqual(sorted[k - 1] ?? 0);
        const next = sorted[k];
        if (next !== undefined && next > 1e-300) expect(least).toBeGreaterThan(next * 0.93);
      }),
    );
  });
});

describe("the slots of a board", () => {
  it("number products in order of their first use, and start again after they were cleared", () => {
    const slots = new Slots(10);
    expect([7, 3, 7, 9].map((product) => slots.of(product))).toEqual([0, 1, 0, 2]);
    slots.clear();
    expect([9, 7].map((product) => slots.of(product))).toEqual([0, 1]);
    expect(slots.count).toBe(2);
  });
});
