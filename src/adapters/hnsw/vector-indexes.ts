/**
 * Approximate nearest neighbours by hnswlib (Malkov, Yashunin: Hierarchical navigable small world graphs, 2016).
 *
 * Up to `exactUpTo` vectors the search is exact and takes some tenths of a millisecond. Above, each build is measured against
 * exact search, with a sample of the vectors drawn by the seed. While recall@10 is under 0.98, efSearch is doubled. If even
 * a quarter of the vectors as efSearch does not reach it, the index is exact. Without hnswlib every index is exact.
 *
 * Nothing else uses hnswlib-node directly: it takes arrays of numbers and accepts NaN, trusts the bytes it reads, and
 * writes only files. Those lie in a private folder that is always removed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDamaged } from "../../domain/errors.js";
import { createRandom } from "../../learning/common/random.js";
import { nearestToEach } from "../../learning/text/nearest.js";
import type { Nearest, VectorIndex, VectorIndexes, VectorIndexParams } from "../vector-index.js";
import { exactIndex } from "./exact-index.js";
import {
  checkQuery,
  type DecodedIndex,
  decodeIndex,
  decodeIndexAside,
  EXACT,
  encodeIndex,
  HNSW,
  type IndexFacts,
} from "./format.js";
import { freedAside, type GraphHandle } from "./free-off-thread.js";
import { vectorsOfGraph } from "./graph-file.js";
import { type Graph, type Hnswlib, installedHnswlib } from "./hnswlib.js";
import { inPrivateFolder, makePrivateFolder } from "./private-folder.js";

export interface HnswOptions {
  /** Up to this many vectors search is exact. */
  readonly exactUpTo?: number;
  /** Parent of the private folder; default: the system's folder for temporary files. */
  readonly folder?: string;
  /** Undefined: as if hnswlib-node were not installed. */
  readonly hnswlib?: Hnswlib | undefined;
}

const EXACT_UP_TO = 1000;
const WANTED_RECALL = 0.98;
const RECALL_AT = 10;
/** Number of vectors in the recall test of a build. */
const PROBES = 200;
/** Similarities that differ by more are different: 32-bit sums in another order differ by less. */
const ROUNDING = 1e-5;

/** Builds and opens indices. Throws RangeError for invalid vectors, queries and parameters; DataDamaged on `open`. */
export function hnswIndexes(options: HnswOptions = {}): VectorIndexes {
  const { exactUpTo = EXACT_UP_TO, folder = tmpdir() } = options;
  const hnswlib = "hnswlib" in options ? options.hnswlib : installedHnswlib;
  return {
    build(vectors, dimensions, params) {
      checkVectors(vectors, dimensions);
      checkParams(params);
      const count = dimensions === 0 ? 0 : vectors.length / dimensions;
      const exact = () => ({ ...exactIndex(vectors.slice(), dimensions), recall: 1, efSearch: 0 });
      if (count <= exactUpTo || hnswlib === undefined) return exact();
      const graph = buildGraph(hnswlib, vectors, dimensions, params);
      const probes = drawProbes(vectors, dimensions, params.seed);
      for (let efSearch = params.efSearch; efSearch <= Math.max(params.efSearch, count / 4); efSearch *= 2) {
        const index = graphIndex({ graph }, { count, dimensions, efSearch, folder });
        const recall = recallOf(index, probes);
        if (recall >= WANTED_RECALL) return { ...index, recall, efSearch };
      }
      return exact();
    },

    open(bytes) {
      const found = decodeIndex(bytes);
      if (found.facts.kind !== HNSW) return openExact(found);
      if (hnswlib === undefined) return openWithoutLibrary(found);
      const graph = new hnswlib.HierarchicalNSW("ip", found.facts.dimensions);
      inPrivateFolder(folder, (file) => {
        writeFileSync(file, found.payload, { mode: 0o600 });
        try {
          graph.readIndexSync(file);
        } catch (cause) {
          throw new DataDamaged("The vector index cannot be read", { cause });
        }
      });
      return openGraph(hnswlib, graph, found.facts, folder);
    },

    async openAside(bytes) {
      const found = await decodeIndexAside(bytes);
      if (found.facts.kind !== HNSW) return openExact(found);
      if (hnswlib === undefined) return openWithoutLibrary(found);
      const graph = new hnswlib.HierarchicalNSW("ip", found.facts.dimensions);
      const own = makePrivateFolder(folder);
      try {
        const file = join(own, "index");
        await writeFile(file, found.payload, { mode: 0o600 });
        await graph.readIndex(file).catch((cause: unknown) => {
          throw new DataDamaged("The vector index cannot be read", { cause });
        });
      } finally {
        await rm(own, { recursive: true, force: true });
      }
      return openGraph(hnswlib, graph, found.facts, folder);
    },
  };
}

function openExact({ facts: { kind, count, dimensions }, payload }: DecodedIndex): VectorIndex {
  if (kind !== EXACT) throw new DataDamaged("The vector index is of an unknown kind");
  if (payload.length !== 4 * count * dimensions) throw new DataDamaged("The vector index is cut off");
  return exactIndex(new Float32Array(payload.slice().buffer), dimensions);
}

/** A graph that another machine built: its vectors are compared exactly. */
function openWithoutLibrary({ facts: { count, dimensions }, payload }: DecodedIndex): VectorIndex {
  return exactIndex(vectorsOfGraph(payload, count, dimensions), dimensions);
}

function openGraph(hnswlib: Hnswlib, graph: Graph, facts: IndexFacts, folder: string): VectorIndex {
  const { count, dimensions, efSearch } = facts;
  if (graph.getCurrentCount() !== count) throw new DataDamaged("The vector index holds a different number of vectors");
  return graphIndex(freedAside(hnswlib, graph, dimensions, folder), { count, dimensions, efSearch, folder });
}

function buildGraph(hnswlib: Hnswlib, vectors: Float32Array, dimensions: number, params: VectorIndexParams): Graph {
  const count = vectors.length / dimensions;
  const graph = new hnswlib.HierarchicalNSW("ip", dimensions);
  graph.initIndex({
    maxElements: count,
    m: params.m,
    efConstruction: params.efConstruction,
    randomSeed: params.seed,
  });
  for (let v = 0; v < count; v++) {
    graph.addPoint(pointOf(vectors.subarray(v * dimensions, (v + 1) * dimensions)), v);
  }
  return graph;
}

interface GraphFacts {
  readonly count: number;
  readonly dimensions: number;
  readonly efSearch: number;
  readonly folder: string;
}

function graphIndex(handle: GraphHandle, { count, dimensions, efSearch, folder }: GraphFacts): VectorIndex {
  return {
    count,
    dimensions,
    search(query, k) {
      checkQuery(query, dimensions);
      const wanted = Math.min(Math.max(0, k), count);
      if (wanted === 0) return { indices: new Uint32Array(0), similarities: new Float32Array(0) };
      // hnswlib finds fewer than k with a narrower search.
      handle.graph.setEf(Math.max(efSearch, wanted));
      const { neighbors, distances } = handle.graph.searchKnn(pointOf(query), wanted);
      return byFallingSimilarity(neighbors, distances);
    },
    encode: () =>
      inPrivateFolder(folder, (file) => {
        handle.graph.writeIndexSync(file);
        return encodeIndex({ kind: HNSW, count, dimensions, efSearch }, readFileSync(file));
      }),
  };
}

/** The numbers of a vector as hnswlib-node takes them. `Array.from` takes eight times as long. */
function pointOf(vector: Float32Array): number[] {
  const point = new Array<number>(vector.length);
  for (let d = 0; d < vector.length; d++) point[d] = vector[d]!;
  return point;
}

/**
 * Distances are 1 - similarity. hnswlib returns rising distances, and equal ones by rising index. This reverses them,
 * since exact search orders equal similarities by falling index.
 */
function byFallingSimilarity(neighbors: readonly number[], distances: readonly number[]): Nearest {
  const count = neighbors.length;
  const indices = new Uint32Array(count);
  const similarities = new Float32Array(count);
  let from = 0;
  while (from < count) {
    let to = from + 1;
    while (to < count && distances[to] === distances[from]) to++;
    for (let i = from; i < to; i++) {
      indices[i] = neighbors[from + to - 1 - i]!;
      similarities[i] = 1 - distances[i]!;
    }
    from = to;
  }
  return { indices, similarities };
}

/** A query vector, and the similarity of its tenth nearest. */
interface Probe {
  readonly query: Float32Array;
  readonly found: number;
  readonly last: number;
}

/** Vectors drawn by the seed, with exact answers, computed once for all widths. */
function drawProbes(vectors: Float32Array, dimensions: number, seed: number): Probe[] {
  const count = vectors.length / dimensions;
  const random = createRandom(seed);
  const queries = Array.from({ length: Math.min(PROBES, count) }, () => {
    const from = Math.floor(random() * count) * dimensions;
    return vectors.subarray(from, from + dimensions);
  });
  return nearestToEach(vectors, dimensions, queries, RECALL_AT).map(({ scores }, n) => ({
    query: queries[n]!,
    found: scores.length,
    last: Math.fround(scores.at(-1) ?? 0),
  }));
}

/** Share of the nearest vectors that the index finds. A vector as near as the last counts. */
function recallOf(index: VectorIndex, probes: readonly Probe[]): number {
  let found = 0;
  let wanted = 0;
  for (const probe of probes) {
    wanted += probe.found;
    const { similarities } = index.search(probe.query, RECALL_AT);
    found += similarities.filter((similarity) => similarity >= probe.last - ROUNDING).length;
  }
  return found / wanted;
}

function checkVectors(vectors: Float32Array, dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 0) throw new RangeError("dimensions must be a whole number from 0");
  if (dimensions === 0 ? vectors.length > 0 : vectors.length % dimensions !== 0)
    throw new RangeError("vectors must hold dimensions numbers each");
  for (let from = 0; from < vectors.length; from += dimensions) {
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += vectors[from + d]! ** 2;
    // False for NaN too.
    if (!(Math.abs(squares - 1) < 1e-3)) throw new RangeError("each of vectors must have length 1");
  }
}

function checkParams({ m, efConstruction, efSearch, seed }: VectorIndexParams): void {
  for (const [name, value, least] of [
    ["m", m, 2],
    ["efConstruction", efConstruction, 1],
    ["efSearch", efSearch, 1],
    ["seed", seed, 0],
  ] as const) {
    if (!Number.isInteger(value) || value < least || value > 0xffff_ffff)
      throw new RangeError(`${name} must be a whole number from ${least}`);
  }
}
