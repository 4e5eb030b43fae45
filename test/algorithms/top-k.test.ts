import fc from "fast-check";
import { expect, it } from "vitest";
import { createTopK } from "../../src/algorithms/top-k.js";

it("keeps the best of any offers, equal scores by falling index, as sorting all of them would", () => {
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
