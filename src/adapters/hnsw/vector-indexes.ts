/**
 * Approximate nearest neighbours by HNSW (Malkov, Yashunin: Efficient and robust approximate nearest neighbor search using
 * hierarchical navigable small world graphs, 2018).
 *
 * Up to `exactUpTo` vectors the search is exact. Above, each build is measured against exact search, with a sample of the
 * vectors drawn by the seed. While recall@10 is under 0.99, efSearch is doubled. If even a quarter of the vectors as
 * efSearch does not reach it, the index is exact. Without hnswlib-node each index is exact.
 */
import { DataDamaged } from "../../domain/errors.js";
import { createRandom } from "../../learning/common/random.js";
import { nearestToEach } from "../../learning/text/nearest.js";
import type { VectorIndex, VectorIndexes, VectorIndexParams } from "../vector-index.js";
import { exactIndex } from "./exact-index.js";
import { checkQuery, type DecodedIndex, decodeChecked, decodeIndex, EXACT, encodeIndex, HNSW } from "./format.js";
import { buildGraph, graphFile, type HeldGraph, openGraph, openGraphAside, searchGraph } from "./graph.js";
import { hnswlib, type MakeGraph } from "./hnswlib.js";

export interface HnswOptions {
  /** Up to this many vectors search is exact. */
  readonly exactUpTo?: number;
  /** Undefined: as if hnswlib-node were not installed. */
  readonly makeGraph?: MakeGraph | undefined;
}

const EXACT_UP_TO = 1000;
const WANTED_RECALL = 0.99;
const RECALL_AT = 10;
/** A search keeps its candidates in order, and with more of them takes longer than comparing all vectors. */
const WIDEST = 4096;
/** The number of a vector's links is kept in 16 bits. */
const MOST_LINKS = 10_000;
const MOST = 0xffff_ffff;
/** Number of vectors in the recall test of a build. */
const PROBES = 200;
/** Similarities that differ by more are different: 32-bit sums in another order differ by less. */
const ROUNDING = 1e-5;

/** Builds and opens indices. Throws RangeError for invalid vectors, queries and parameters; DataDamaged on `open`. */
export function hnswIndexes(options: HnswOptions = {}): VectorIndexes {
  const { exactUpTo = EXACT_UP_TO } = options;
  const makeGraph = "makeGraph" in options ? options.makeGraph : hnswlib.makeGraph;
  return {
    build(vectors, dimensions, params) {
      checkVectors(vectors, dimensions);
      checkParams(params);
      const count = dimensions === 0 ? 0 : vectors.length / dimensions;
      const exact = () => ({ ...exactIndex(vectors, dimensions), recall: 1, efSearch: 0 });
      if (makeGraph === undefined || count <= exactUpTo) return exact();
      const graph = buildGraph(makeGraph, vectors, { count, dimensions }, params);
      const probes = drawProbes(vectors, dimensions, params.seed);
      const widest = Math.max(params.efSearch, Math.min(count / 4, WIDEST));
      for (let efSearch = params.efSearch; efSearch <= widest; efSearch *= 2) {
        const index = graphIndex(graph, { count, dimensions, efSearch });
        const recall = recallOf(index, probes);
        if (recall >= WANTED_RECALL) return { ...index, recall, efSearch };
      }
      return exact();
    },

    open(bytes, vectors) {
      const { facts, payload } = ofVectors(decodeIndex(bytes), vectors);
      if (facts.kind === EXACT || makeGraph === undefined) return exactIndex(vectors, facts.dimensions);
      return graphIndex(openGraph(makeGraph, payload, facts), facts);
    },

    async openAside(bytes, vectors) {
      const { facts, payload } = ofVectors(decodeChecked(bytes), vectors);
      if (facts.kind === EXACT || makeGraph === undefined) return exactIndex(vectors, facts.dimensions);
      return graphIndex(await openGraphAside(makeGraph, payload, facts), facts);
    },
  };
}

/** Earlier versions kept the vectors in an exact index, too. */
function ofVectors(decoded: DecodedIndex, vectors: Float32Array): DecodedIndex {
  const { kind, count, dimensions } = decoded.facts;
  if (kind !== EXACT && kind !== HNSW) throw new DataDamaged("The vector index is of an unknown kind");
  if (vectors.length !== count * dimensions) throw new DataDamaged("The vector index is of other vectors");
  return decoded;
}

interface GraphFacts {
  readonly count: number;
  readonly dimensions: number;
  readonly efSearch: number;
}

function graphIndex(graph: HeldGraph, { count, dimensions, efSearch }: GraphFacts): VectorIndex {
  return {
    count,
    dimensions,
    search(query, k) {
      checkQuery(query, dimensions);
      const wanted = Math.min(Math.max(0, k), count);
      return searchGraph(graph, query, wanted, Math.max(efSearch, wanted));
    },
    encode: () => encodeIndex({ kind: HNSW, count, dimensions, efSearch }, graphFile(graph)),
  };
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
  for (const [name, value, least, most] of [
    ["m", m, 2, MOST_LINKS],
    ["efConstruction", efConstruction, 1, MOST],
    ["efSearch", efSearch, 1, MOST],
    ["seed", seed, 0, MOST],
  ] as const) {
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${name} must be a whole number from ${least} to ${most}`);
  }
}
