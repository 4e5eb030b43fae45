import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import hnswlib from "hnswlib-node";
import { nearest } from "../../algorithms/nearest.js";
import { DataDamaged } from "../../domain/errors.js";
import type { Nearest, VectorIndex, VectorIndexes, VectorIndexParams } from "../../ports/vector-index.js";

/** Below this many vectors exact search is as fast as the graph, and never wrong. */
const EXACT_BELOW = 1000;
const FORMAT = 1;
const HEADER_WORDS = 5;

type Kind = "exact" | "graph";

/** Vector indices by hnswlib (Malkov, Yashunin 2016), small ones by exact search. */
export function hnswIndexes(): VectorIndexes {
  return {
    build(vectors, dimensions, params) {
      checkVectors(vectors, dimensions);
      const count = vectors.length / dimensions;
      return count < EXACT_BELOW ? exactIndex(vectors, dimensions) : buildGraph(vectors, dimensions, params);
    },
    open(bytes) {
      const { kind, count, dimensions, efSearch, body } = readHeader(bytes);
      if (kind === "graph") return openGraph(body, count, dimensions, efSearch);
      return exactIndex(new Float32Array(body.slice().buffer), dimensions);
    },
  };
}

function exactIndex(vectors: Float32Array, dimensions: number): VectorIndex {
  const count = vectors.length / dimensions;
  return {
    count,
    dimensions,
    search(query, k) {
      checkQuery(query, dimensions);
      const found = nearest(vectors, dimensions, query, k);
      return { indices: found.indices, similarities: Float32Array.from(found.scores) };
    },
    encode: () =>
      withHeader("exact", count, dimensions, 0, new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength)),
  };
}

type Graph = InstanceType<typeof hnswlib.HierarchicalNSW>;

function buildGraph(vectors: Float32Array, dimensions: number, params: VectorIndexParams): VectorIndex {
  const count = vectors.length / dimensions;
  const graph = new hnswlib.HierarchicalNSW("ip", dimensions);
  graph.initIndex(count, params.m, params.efConstruction, params.seed);
  for (let row = 0; row < count; row++)
    graph.addPoint(Array.from(vectors.subarray(row * dimensions, (row + 1) * dimensions)), row);
  return graphIndex(graph, count, dimensions, params.efSearch);
}

function openGraph(body: Uint8Array, count: number, dimensions: number, efSearch: number): VectorIndex {
  const graph = new hnswlib.HierarchicalNSW("ip", dimensions);
  inFile((file) => {
    writeFileSync(file, body, { mode: 0o600 });
    try {
      graph.readIndexSync(file);
    } catch (cause) {
      throw new DataDamaged("The vector index cannot be read", { cause });
    }
  });
  if (graph.getCurrentCount() !== count) throw new DataDamaged("The vector index holds another number of vectors");
  return graphIndex(graph, count, dimensions, efSearch);
}

function graphIndex(graph: Graph, count: number, dimensions: number, efSearch: number): VectorIndex {
  return {
    count,
    dimensions,
    search(query, k): Nearest {
      checkQuery(query, dimensions);
      const wanted = Math.min(k, count);
      graph.setEf(Math.max(efSearch, wanted));
      const { neighbors, distances } = graph.searchKnn(Array.from(query), wanted);
      // The space "ip" counts 1 - similarity.
      return {
        indices: Uint32Array.from(neighbors),
        similarities: Float32Array.from(distances, (distance) => 1 - distance),
      };
    },
    encode: () =>
      inFile((file) => {
        graph.writeIndexSync(file);
        return withHeader("graph", count, dimensions, efSearch, readFileSync(file));
      }),
  };
}

/** Runs with the name of a file in a private directory that is gone afterwards: the library reads and writes files only. */
function inFile<T>(use: (file: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "aisle-hnsw-"));
  try {
    return use(join(directory, "index"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function withHeader(kind: Kind, count: number, dimensions: number, efSearch: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_WORDS * 4 + body.length);
  new Uint32Array(bytes.buffer, 0, HEADER_WORDS).set([FORMAT, kind === "graph" ? 1 : 0, count, dimensions, efSearch]);
  bytes.set(body, HEADER_WORDS * 4);
  return bytes;
}

function readHeader(bytes: Uint8Array) {
  if (bytes.length < HEADER_WORDS * 4) throw new DataDamaged("The vector index is cut off");
  const words = new Uint32Array(bytes.slice(0, HEADER_WORDS * 4).buffer);
  const [format = 0, kind = 0, count = 0, dimensions = 0, efSearch = 0] = words;
  if (format !== FORMAT) throw new DataDamaged(`The vector index has format ${format}`);
  const body = bytes.subarray(HEADER_WORDS * 4);
  if (kind === 0 && body.length !== count * dimensions * 4) throw new DataDamaged("The vector index is cut off");
  return { kind: kind === 1 ? ("graph" as const) : ("exact" as const), count, dimensions, efSearch, body };
}

/** The library takes NaN without a word and then answers nonsense, so it is stopped here. */
function checkVectors(vectors: Float32Array, dimensions: number): void {
  if (!(dimensions > 0) || vectors.length % dimensions !== 0)
    throw new RangeError("vectors must hold whole rows of `dimensions` numbers");
  for (const value of vectors) if (!Number.isFinite(value)) throw new RangeError("vectors must hold finite numbers");
}

function checkQuery(query: Float32Array, dimensions: number): void {
  if (query.length !== dimensions) throw new RangeError("the query must have as many numbers as the vectors");
  for (const value of query) if (!Number.isFinite(value)) throw new RangeError("the query must hold finite numbers");
}
