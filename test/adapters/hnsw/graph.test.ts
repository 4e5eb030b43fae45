import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeIndex, HNSW } from "../../../src/adapters/hnsw/format.js";
import { buildGraph, openGraph, openGraphAside } from "../../../src/adapters/hnsw/graph.js";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { DataDamaged } from "../../../src/domain/errors.js";
import { createRandom } from "../../../src/learning/common/random.js";
import { type PlainGraph, readGraph, searchPlainly } from "./plain-graph.js";

interface Answers {
  readonly count: number;
  readonly dimensions: number;
  readonly queries: readonly number[][];
  readonly answers: readonly {
    readonly efSearch: number;
    readonly neighbours: number[][];
    readonly distances: number[][];
  }[];
}

const fixtures = join(import.meta.dirname, "../../fixtures");

/** Half of them are copies of others, where `copies` is set. */
function unitVectors(count: number, dimensions: number, seed: number, copies: boolean): Float32Array {
  const random = createRandom(seed);
  const vectors = new Float32Array(count * dimensions);
  for (let v = 0; v < count; v++) {
    const vector = vectors.subarray(v * dimensions, (v + 1) * dimensions);
    const original = Math.floor(random() * v) * dimensions;
    if (copies && v > 0 && random() < 0.5) vector.set(vectors.subarray(original, original + dimensions));
    else for (let d = 0; d < dimensions; d++) vector[d] = 2 * random() - 1;
    const length = Math.hypot(...vector);
    for (let d = 0; d < dimensions; d++) vector[d]! /= length;
  }
  return vectors;
}

const someGraphs = fc.record({
  count: fc.integer({ min: 1, max: 400 }),
  dimensions: fc.integer({ min: 4, max: 21 }),
  m: fc.integer({ min: 2, max: 9 }),
  efConstruction: fc.integer({ min: 1, max: 60 }),
  seed: fc.nat(),
  copies: fc.boolean(),
});

describe("an HNSW graph", () => {
  const stored: Answers = JSON.parse(readFileSync(join(fixtures, "hnswlib-answers.json"), "utf8"));
  const file = new Uint8Array(gunzipSync(readFileSync(join(fixtures, "hnswlib-graph.bin.gz"))));

  it("that hnswlib built gives hnswlib's answers", () => {
    const { count, dimensions } = stored;
    for (const { efSearch, neighbours, distances } of stored.answers) {
      const index = hnswIndexes().open(encodeIndex({ kind: HNSW, count, dimensions, efSearch }, file));
      for (const [q, query] of stored.queries.entries()) {
        const found = index.search(Float32Array.from(query), 5);
        expect([...found.indices]).toEqual(neighbours[q]);
        for (const [n, distance] of distances[q]!.entries())
          expect(1 - found.similarities[n]!).toBeCloseTo(distance, 5);
      }
    }
  });

  it("gives the answers of a plain search over the same links", () => {
    fc.assert(
      fc.property(
        someGraphs,
        fc.integer({ min: 1, max: 80 }),
        ({ count, dimensions, seed, copies: _, ...params }, width) => {
          const vectors = unitVectors(count, dimensions, seed, false);
          const graph = buildGraph(vectors, dimensions, { ...params, seed })!;
          const plain = readGraph(graph.file);
          const query = unitVectors(1, dimensions, seed + 1, false);
          const { similarities } = graph.search(query, width, width);
          const expected = searchPlainly(plain, query, width);
          expect(similarities).toHaveLength(expected.length);
          for (const [n, similarity] of expected.entries()) expect(similarities[n]).toBeCloseTo(similarity, 5);
        },
      ),
    );
  });

  it("has links only to other vectors of the level, each once, and no more than it may", () => {
    fc.assert(
      fc.property(someGraphs, ({ count, dimensions, seed, copies, ...params }) => {
        const vectors = unitVectors(count, dimensions, seed, copies);
        const { nodes } = readGraph(buildGraph(vectors, dimensions, { ...params, seed })!.file);
        const wrong = nodes.flatMap(({ links }, id) =>
          links.filter(
            (list, level) =>
              list.length > (level === 0 ? 2 * params.m : params.m) ||
              new Set(list).size < list.length ||
              list.some((other) => other === id || nodes[other]!.links.length <= level),
          ),
        );
        expect([nodes.length, wrong]).toEqual([count, []]);
      }),
    );
  });

  it("has its vectors in the file as they were", () => {
    const vectors = unitVectors(50, 7, 1, false);
    const { nodes }: PlainGraph = readGraph(buildGraph(vectors, 7, { m: 4, efConstruction: 10, seed: 1 })!.file);
    expect(nodes.flatMap(({ numbers }) => [...numbers])).toEqual([...vectors]);
  });

  it("finds the ten nearest as often as one that hnswlib built with the same parameters", () => {
    const plain = readGraph(file);
    const { count, dimensions } = stored;
    const vectors = Float32Array.from(plain.nodes.flatMap(({ numbers }) => [...numbers]));
    const size = { count, dimensions };
    const found = (graph: ReturnType<typeof openGraph>) => {
      let hits = 0;
      for (let v = 0; v < count; v++) {
        const query = vectors.subarray(v * dimensions, (v + 1) * dimensions);
        const exact = new Set(graph.search(query, 10, count).indices);
        hits += graph.search(query, 10, 20).indices.filter((id) => exact.has(id)).length;
      }
      return hits / (10 * count);
    };
    const own = buildGraph(vectors, dimensions, { m: 4, efConstruction: 20, seed: 3 })!;
    expect(found(own)).toBeGreaterThan(found(openGraph(file, size)) - 0.02);
  });

  it("is refused when its file is damaged or of another size", async () => {
    const { count, dimensions } = stored;
    const size = { count, dimensions };
    expect(() => openGraph(file, { ...size, count: count - 1 })).toThrow(DataDamaged);
    expect(() => openGraph(file, { ...size, dimensions: dimensions + 1 })).toThrow(DataDamaged);
    expect(() => openGraph(file.subarray(0, 50), size)).toThrow(DataDamaged);
    expect(() => openGraph(file.subarray(0, file.length - 4), size)).toThrow(DataDamaged);
    await expect(openGraphAside(file.subarray(0, file.length / 2), size)).rejects.toThrow(DataDamaged);
  });
});
