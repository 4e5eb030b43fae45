import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Embedded } from "../../../src/learning/text/embedder.js";
import { drawToNeighbours } from "../../../src/learning/text/text-neighbours.js";

const embedded = (...vectors: readonly (readonly number[])[]) => ({
  vectors: Float32Array.from(vectors.flat()),
  rows: Uint32Array.from(vectors.keys()),
  dimensions: vectors[0]?.length ?? 2,
});
const params = { upTo: 100, neighbours: 2, pull: 0.5 };
const row = ({ vectors, dimensions }: Embedded, n: number) =>
  [...vectors.subarray(n * dimensions, (n + 1) * dimensions)].map((value) => Number(value.toFixed(5)));

describe("vectors moved towards their neighbours", () => {
  // The first has two neighbours, of similarity 0.8 and 0.6: their weighed mean is (0.8 * (0.8, 0.6) + 0.6 * (0.6, 0.8)) / 1.4.
  it("are the vector plus half the weighted mean of its neighbours", () => {
    const [x, y] = [1 + (0.5 * (0.64 + 0.36)) / 1.4, (0.5 * (0.48 + 0.48)) / 1.4];
    const length = Math.hypot(x, y);
    const drawn = drawToNeighbours(embedded([1, 0], [0.8, 0.6], [0.6, 0.8]), params);
    expect(row(drawn, 0)).toEqual([x / length, y / length].map((value) => Number(value.toFixed(5))));
  });

  it("stay the same where nothing is near, and where all are copies", () => {
    const apart = embedded([1, 0], [0, 1], [-1, 0]);
    expect(drawToNeighbours(apart, params).vectors).toEqual(apart.vectors);
    const copies = embedded([0.6, 0.8], [0.6, 0.8], [0.6, 0.8], [0.6, 0.8]);
    for (const n of [0, 1, 2, 3]) expect(row(drawToNeighbours(copies, params), n)).toEqual([0.6, 0.8]);
  });

  it("use only the nearest", () => {
    const far = embedded([1, 0, 0], [0.8, 0.6, 0], [0.8, -0.6, 0], [0.6, 0, 0.8]);
    expect(row(drawToNeighbours(far, params), 0)).toEqual([1, 0, 0]);
  });

  it("have length 1 and are reproducible", () => {
    const angles = fc.array(fc.double({ min: 0, max: 6.28, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(angles, (all) => {
        const before = embedded(...all.map((angle) => [Math.cos(angle), Math.sin(angle)]));
        const drawn = drawToNeighbours(before, params);
        for (const n of all.keys()) expect(Math.hypot(...row(drawn, n))).toBeCloseTo(1, 4);
        expect(drawToNeighbours(before, params)).toEqual(drawn);
      }),
    );
  });

  it("stay the same above the maximum number of texts", () => {
    const before = embedded([1, 0], [0.8, 0.6], [0.6, 0.8]);
    expect(drawToNeighbours(before, { ...params, upTo: 2 })).toBe(before);
  });
});
