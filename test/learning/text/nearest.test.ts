import fc from "fast-check";
import { expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import { nearest, nearestToEach } from "../../../src/learning/text/nearest.js";

it("nearest finds the closest of four directions first", () => {
  const vectors = Float32Array.of(1, 0, 0, 1, 0.6, 0.8, -1, 0);
  const found = nearest(vectors, 2, Float32Array.of(1, 0), 3);
  expect([...found.indices]).toEqual([0, 2, 1]);
  expect(found.scores[1]).toBeCloseTo(0.6, 6);
});

it("nearest orders equal vectors by falling index", () => {
  expect([...nearest(Float32Array.of(1, 1, 1), 1, Float32Array.of(1), 2).indices]).toEqual([2, 1]);
});

it("nearest returns what sorting all similarities gives", () => {
  const vector = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(vector, { maxLength: 40 }), vector, fc.nat(50), (vectors, query, k) => {
      const found = nearest(Float32Array.from(vectors.flat()), 3, Float32Array.from(query), k);
      const scored = vectors.map((v, index) => ({ index, score: v.reduce((sum, x, d) => sum + x * query[d]!, 0) }));
      scored.sort((a, b) => b.score - a.score || b.index - a.index);
      expect([...found.indices]).toEqual(scored.slice(0, k).map((s) => s.index));
    }),
  );
});

it("nearest returns for each of several queries what it returns for one alone, to the last bit", () => {
  const random = createRandom(1);
  const vectors = Float32Array.from({ length: 150 * 7 }, () => random() - 0.5);
  const queries = Array.from({ length: 3 }, (_, q) => vectors.subarray(q * 7, (q + 1) * 7));
  const alone = queries.map((query) => nearest(vectors, 7, query, 20));
  expect(nearestToEach(vectors, 7, queries, 20)).toEqual(alone);
  for (const [q, { indices, scores }] of alone.entries())
    for (const [i, index] of indices.entries()) {
      const vector = vectors.subarray(index * 7, (index + 1) * 7);
      expect(scores[i]).toBeCloseTo(
        vector.reduce((sum, value, d) => sum + value * queries[q]![d]!, 0),
        6,
      );
    }
});

it("nearest rejects a query of another number of dimensions", () => {
  expect(() => nearest(Float32Array.of(1, 0), 2, Float32Array.of(1), 1)).toThrow(RangeError);
});
