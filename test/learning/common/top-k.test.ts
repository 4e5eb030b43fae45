import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import { createDescendingOrder, createTopK } from "../../../src/learning/common/top-k.js";

it("top k keeps the best of any offers, equal scores by falling index, as a full sort would", () => {
  const offers = fc.uniqueArray(fc.record({ index: fc.nat(200), score: fc.integer({ min: -3, max: 3 }) }), {
    selector: (offer) => offer.index,
    maxLength: 150,
  });
  const best = createTopK();
  fc.assert(
    fc.property(offers, fc.nat(120), (all, k) => {
      best.reset(k);
      for (const { index, score } of all) best.offer(index, score);
      const sorted = [...all].sort((a, b) => b.score - a.score || b.index - a.index).slice(0, k);
      expect(best.size()).toBe(sorted.length);
      const taken = best.take();
      expect([...taken.indices]).toEqual(sorted.map((offer) => offer.index));
      expect([...taken.scores]).toEqual(sorted.map((offer) => offer.score));
      expect(best.size()).toBe(0);
    }),
  );
});

it("top k keeps the best of thousands, of few and of many different scores, of all sizes and signs", () => {
  const best = createTopK();
  const shapes: Readonly<Record<string, (draw: number) => number>> = {
    few: (draw) => Math.floor(draw * 5) - 2,
    many: (draw) => draw ** 3,
    wide: (draw) => Math.sign(draw - 0.3) * 10 ** (600 * (draw - 0.5)),
    zeros: (draw) => (draw < 0.5 ? -0 : 0),
  };
  const random = createRandom(4);
  for (const shape of Object.values(shapes))
    for (const k of [0, 1, 20, 300, 3000]) {
      const scores = Array.from({ length: 3000 }, () => shape(random()));
      best.reset(k);
      for (const [index, score] of scores.entries()) best.offer(index, score);
      const sorted = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, k);
      expect([...best.take().indices]).toEqual(sorted);
    }
});

it("top k still keeps the best after its size was read", () => {
  const best = createTopK();
  best.reset(2);
  for (const index of [5, 1, 4]) best.offer(index, index);
  expect(best.size()).toBe(2);
  expect([best.indexAt(0), best.indexAt(1)].toSorted()).toEqual([4, 5]);
  for (const index of [3, 9, 7]) best.offer(index, index);
  expect([...best.take().indices]).toEqual([9, 7]);
});

const scored = fc.uniqueArray(
  fc.record({
    id: fc.nat(1000),
    score: fc.oneof(fc.constantFrom(0, -0, 1, 0.5), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  }),
  { selector: ({ id }) => id, maxLength: 600 },
);

describe("descending order", () => {
  it("is that of a sort by falling score and rising id", () => {
    const falling = createDescendingOrder();
    fc.assert(
      fc.property(scored, (all) => {
        const scores = Float64Array.from(all, ({ score }) => score);
        const ids = Uint32Array.from(all, ({ id }) => id);
        const order = falling.of(scores, ids, all.length);
        const expected = [...all.keys()].sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
        expect([...order]).toEqual(expected);
      }),
    );
  });

  it("is the same for many equal scores, and for scores far from the others", () => {
    const falling = createDescendingOrder();
    const random = createRandom(6);
    const shapes = [() => 1 + Math.floor(random() * 3), (place: number) => (place === 3 ? 1e-200 : 0.5 + random())];
    for (const shape of shapes)
      for (const count of [300, 1000, 3000]) {
        const scores = Float64Array.from({ length: count }, (_, place) => shape(place));
        const ids = Uint32Array.from({ length: count }, (_, place) => (place * 7919) % 100_003);
        const expected = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
        expect([...falling.of(scores, ids, count)]).toEqual(expected);
      }
  });

  it("sorts only the first places", () => {
    const order = createDescendingOrder().of(Float64Array.of(1, 2, 9), Uint32Array.of(0, 1, 2), 2);
    expect([...order]).toEqual([1, 0]);
  });
});
