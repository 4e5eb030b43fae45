import { describe, expect, it } from "vitest";
import { decodeIndex, EXACT } from "../../../src/adapters/hnsw/format.js";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { DataDamaged } from "../../../src/domain/errors.js";
import { createRandom } from "../../../src/learning/common/random.js";
import { nearest } from "../../../src/learning/text/nearest.js";
import { VECTOR_INDEX } from "../../../src/learning/training/semantic.js";
import { recallAt10 } from "./recall.js";

const PARAMS = { ...VECTOR_INDEX, seed: 7 };
const DIMENSIONS = 16;

function unitVectors(count: number, dimensions: number, seed: number): Float32Array {
  const random = createRandom(seed);
  const vectors = Float32Array.from({ length: count * dimensions }, () => 2 * random() - 1);
  for (let v = 0; v < count; v++) {
    const vector = vectors.subarray(v * dimensions, (v + 1) * dimensions);
    const length = Math.hypot(...vector);
    for (let d = 0; d < dimensions; d++) vector[d]! /= length;
  }
  return vectors;
}

const graphs = hnswIndexes({ exactUpTo: 0 });

describe.each([
  ["exact", hnswIndexes({ exactUpTo: 1_000_000 })],
  ["hnsw", graphs],
])("%s vector index", (_, indexes) => {
  const vectors = unitVectors(1200, DIMENSIONS, 1);
  const query = vectors.subarray(0, DIMENSIONS);

  it("knows its size", () => {
    const index = indexes.build(vectors, DIMENSIONS, PARAMS);
    expect([index.count, index.dimensions]).toEqual([1200, DIMENSIONS]);
  });

  it("finds a vector itself first, with similarity 1, and the rest by falling similarity", () => {
    const found = indexes.build(vectors, DIMENSIONS, PARAMS).search(query, 20);
    expect(found.indices[0]).toBe(0);
    expect(found.similarities[0]).toBeCloseTo(1, 5);
    expect([...found.similarities]).toEqual([...found.similarities].sort((a, b) => b - a));
  });

  it("returns the nearest vectors with their cosines", () => {
    const found = indexes.build(vectors, DIMENSIONS, PARAMS).search(query, 10);
    const exact = nearest(vectors, DIMENSIONS, query, 10);
    expect([...found.indices]).toEqual([...exact.indices]);
    for (const [i, score] of exact.scores.entries()) expect(found.similarities[i]).toBeCloseTo(score, 5);
  });

  it("returns all vectors when more are asked for, and none when none are", () => {
    const few = indexes.build(vectors.slice(0, 5 * DIMENSIONS), DIMENSIONS, PARAMS);
    expect([...few.search(query, 50).indices].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(few.search(query, 0).indices).toHaveLength(0);
  });

  it("returns as many as asked for when that is more than the search width", () => {
    const index = indexes.build(vectors, DIMENSIONS, { ...PARAMS, efSearch: 10 });
    expect(new Set(index.search(query, 400).indices).size).toBe(400);
  });

  it("orders equal vectors by falling index", () => {
    const copies = new Float32Array(4 * DIMENSIONS);
    for (let v = 0; v < 4; v++) copies.set(query, v * DIMENSIONS);
    expect([...indexes.build(copies, DIMENSIONS, PARAMS).search(query, 4).indices]).toEqual([3, 2, 1, 0]);
  });

  it("orders equal vectors by falling index among nearer and farther ones, as exact search does", () => {
    const other = vectors.subarray(DIMENSIONS, 2 * DIMENSIONS);
    const several = vectors.slice(0, 40 * DIMENSIONS);
    for (const v of [5, 9, 21, 33]) several.set(other, v * DIMENSIONS);
    for (const v of [12, 30]) several.set(query, v * DIMENSIONS);
    const found = indexes.build(several, DIMENSIONS, PARAMS).search(query, 40);
    expect([...found.indices]).toEqual([...nearest(several, DIMENSIONS, query, 40).indices]);
  });

  it("is empty when it is built from no vectors", () => {
    const index = indexes.build(new Float32Array(0), DIMENSIONS, PARAMS);
    expect(index.count).toBe(0);
    expect(index.search(query, 5).indices).toHaveLength(0);
    expect(indexes.open(index.encode(), new Float32Array(0)).search(query, 5).indices).toHaveLength(0);
    expect(indexes.build(new Float32Array(0), 0, PARAMS).count).toBe(0);
  });

  it("gives the same bytes for the same vectors and parameters", () => {
    const first = indexes.build(vectors, DIMENSIONS, PARAMS).encode();
    // Memory freed in between would show in the second bytes if any of it were written unset.
    for (let i = 0; i < 5; i++) indexes.build(unitVectors(700, DIMENSIONS, i + 2), DIMENSIONS, PARAMS).encode();
    expect(Buffer.compare(indexes.build(vectors, DIMENSIONS, PARAMS).encode(), first)).toBe(0);
    expect(Buffer.compare(indexes.open(first, vectors).encode(), first)).toBe(0);
  });

  it("answers the same after encoding and opening, from bytes at any offset", () => {
    const index = indexes.build(vectors, DIMENSIONS, PARAMS);
    const bytes = index.encode();
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const opened = indexes.open(shifted.subarray(3), vectors);
    for (let v = 0; v < 1200; v += 100) {
      const probe = vectors.subarray(v * DIMENSIONS, (v + 1) * DIMENSIONS);
      expect(opened.search(probe, 10)).toEqual(index.search(probe, 10));
    }
  });

  it("rejects vectors that are not of length 1 or hold NaN", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 0.5]) {
      const bad = vectors.slice(0, 3 * DIMENSIONS);
      bad[DIMENSIONS + 3] = value;
      expect(() => indexes.build(bad, DIMENSIONS, PARAMS)).toThrow(RangeError);
    }
    expect(() => indexes.build(new Float32Array(DIMENSIONS), DIMENSIONS, PARAMS)).toThrow(RangeError);
    expect(() => indexes.build(vectors, 7, PARAMS)).toThrow(RangeError);
  });

  it("rejects queries of another length, with NaN, or all zeros", () => {
    const index = indexes.build(vectors, DIMENSIONS, PARAMS);
    expect(() => index.search(query.subarray(1), 5)).toThrow(RangeError);
    expect(() => index.search(new Float32Array(DIMENSIONS).fill(Number.NaN), 5)).toThrow(RangeError);
    expect(() => index.search(new Float32Array(DIMENSIONS), 5)).toThrow(RangeError);
  });

  it("rejects each parameter that is out of range, by name", () => {
    expect(() => indexes.build(vectors, DIMENSIONS, { ...PARAMS, m: 1 })).toThrow(/^m must/);
    expect(() => indexes.build(vectors, DIMENSIONS, { ...PARAMS, m: 10_001 })).toThrow(/^m must/);
    expect(() => indexes.build(vectors, DIMENSIONS, { ...PARAMS, efSearch: 0.5 })).toThrow(/^efSearch must/);
  });

  it("rejects damaged bytes, wherever the damage is", () => {
    const few = vectors.slice(0, 60 * DIMENSIONS);
    const bytes = indexes.build(few, DIMENSIONS, PARAMS).encode();
    for (let at = 0; at < bytes.length; at += at < 32 ? 1 : 97) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0x10;
      expect(() => indexes.open(damaged, few)).toThrow(DataDamaged);
    }
    expect(() => indexes.open(bytes.subarray(0, bytes.length - 1), few)).toThrow(DataDamaged);
    expect(() => indexes.open(new Uint8Array(3), few)).toThrow(DataDamaged);
  });

  it("opens the same bytes at once and in pieces", async () => {
    const bytes = indexes.build(vectors, DIMENSIONS, PARAMS).encode();
    const query = vectors.subarray(0, DIMENSIONS);
    const aside = await indexes.openAside(bytes, vectors);
    expect(aside.search(query, 20)).toEqual(indexes.open(bytes, vectors).search(query, 20));
    await expect(indexes.openAside(bytes.subarray(0, bytes.length - 1), vectors)).rejects.toThrow(DataDamaged);
  });
});

describe("hnsw indices", () => {
  it("compare every vector where hnswlib-node is not installed", () => {
    const vectors = unitVectors(1001, DIMENSIONS, 3);
    const index = hnswIndexes({ exactUpTo: 0, makeGraph: undefined }).build(vectors, DIMENSIONS, PARAMS);
    expect([index.recall, index.efSearch]).toEqual([1, 0]);
  });

  it("search few vectors exactly and many by graph, in one format", () => {
    const vectors = unitVectors(1001, DIMENSIONS, 3);
    const kinds = [1000, 1001].map((count) => {
      const bytes = hnswIndexes()
        .build(vectors.slice(0, count * DIMENSIONS), DIMENSIONS, PARAMS)
        .encode();
      return decodeIndex(bytes).facts.kind;
    });
    expect(kinds).toEqual([0, 1]);
  });

  it("widen a search that misses too many of the nearest", () => {
    const vectors = unitVectors(3000, 64, 5);
    const index = graphs.build(vectors, 64, { m: 6, efConstruction: 20, efSearch: 10, seed: 1 });
    expect(recallAt10(index, vectors, 300)).toBeGreaterThan(0.95);
    expect(index.efSearch).toBeGreaterThan(10);
    expect(index.recall).toBeGreaterThanOrEqual(0.99);
    expect(decodeIndex(index.encode()).facts.efSearch).toBe(index.efSearch);
  });

  it("compare every vector when only a very wide search would find enough", () => {
    // Of so poor a graph that a quarter of the vectors is not enough.
    const vectors = unitVectors(1500, 128, 6);
    const index = graphs.build(vectors, 128, { m: 2, efConstruction: 1, efSearch: 1, seed: 1 });
    expect([index.recall, index.efSearch]).toEqual([1, 0]);
    expect(decodeIndex(index.encode()).facts.kind).toBe(EXACT);
  });

  it("report the share of the nearest that they find, which also holds for other vectors of the index", () => {
    const vectors = unitVectors(2000, DIMENSIONS, 8);
    const index = graphs.build(vectors, DIMENSIONS, PARAMS);
    expect(index.efSearch).toBe(PARAMS.efSearch);
    expect(Math.abs(recallAt10(index, vectors, 300) - index.recall)).toBeLessThan(0.02);
  });
});
