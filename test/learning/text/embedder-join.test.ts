import { describe, expect, it } from "vitest";
import { joinVectors } from "../../../src/learning/text/embedder-join.js";

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);

// Of four texts the first embedding knows 0, 1 and 2, the second 0, 1 and 3.
const first = [Float32Array.of(1, 0), Float32Array.of(0.6, 0.8), Float32Array.of(0, 1), undefined];
const second = {
  vectors: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  rows: Uint32Array.of(0, 1, 3),
  dimensions: 3,
};
const { vectors, rows, dimensions } = joinVectors(first, 2, second);
const row = (n: number) => vectors.subarray(n * dimensions, (n + 1) * dimensions);

describe("joined embeddings", () => {
  it("have the mean of both cosines as their cosine", () => {
    expect(dimensions).toBe(5);
    expect(dot(row(0), row(1))).toBeCloseTo((0.6 + 0) / 2, 6);
  });

  it("have length 1, whichever of the two models knows the text", () => {
    expect([...rows]).toEqual([0, 1, 2, 3]);
    for (const n of rows) expect(dot(row(n), row(n))).toBeCloseTo(1, 6);
  });

  it("rank by the part that a text has", () => {
    expect([...row(2)]).toEqual([0, 1, 0, 0, 0]);
    expect([...row(3)]).toEqual([0, 0, 0, 0, 1]);
    expect(dot(row(2), row(1))).toBeGreaterThan(dot(row(2), row(0)));
  });

  it("leave out a text that neither model knows", () => {
    const joined = joinVectors([undefined, Float32Array.of(0, 1)], 2, { ...second, rows: new Uint32Array(0) });
    expect([...joined.rows]).toEqual([1]);
    expect([...joined.vectors]).toEqual([0, 1, 0, 0, 0]);
  });
});
