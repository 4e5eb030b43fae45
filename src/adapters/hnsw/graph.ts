/**
 * An HNSW graph of hnswlib-node 3.0.0. The library takes arrays of numbers and accepts NaN; it reads and writes only files, trusts
 * what it reads, and frees a graph on the thread that collects it, which stops all requests of a server: some 20 ms for 50,000
 * vectors. So nothing reaches it that was not checked, files lie in a folder that only this user can read, and a graph that
 * nobody holds any more reads a file with one vector, since `readIndex` frees the memory before on a thread of the pool.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { Nearest, VectorIndexParams } from "../vector-index.js";
import type { Graph, MakeGraph } from "./hnswlib.js";

/** A graph that one or more indices search. Its memory is freed when nobody holds this object any more. */
export interface HeldGraph {
  readonly graph: Graph;
}

export interface GraphSize {
  readonly count: number;
  readonly dimensions: number;
}

/** Row n of `vectors` gets the label n. The same vectors and parameters give the same graph. */
export function buildGraph(
  makeGraph: MakeGraph,
  vectors: Float32Array,
  { count, dimensions }: GraphSize,
  { m, efConstruction, seed }: VectorIndexParams,
): HeldGraph {
  const graph = makeGraph(dimensions);
  graph.initIndex({ maxElements: count, m, efConstruction, randomSeed: seed });
  for (let v = 0; v < count; v++) graph.addPoint(pointOf(vectors.subarray(v * dimensions, (v + 1) * dimensions)), v);
  return hold(makeGraph, graph, dimensions);
}

/** Opens a file of `graphFile`, whose checksum must have been compared. Throws DataDamaged for a graph of another size. */
export function openGraph(makeGraph: MakeGraph, file: Uint8Array, size: GraphSize): HeldGraph {
  const graph = makeGraph(size.dimensions);
  inPrivateFolder((path) => {
    writeFileSync(path, file, { mode: 0o600 });
    try {
      graph.readIndexSync(path);
    } catch (cause) {
      throw new DataDamaged("The vector index cannot be read", { cause });
    }
  });
  return opened(makeGraph, graph, size);
}

/** The same on a thread of the pool. */
export async function openGraphAside(makeGraph: MakeGraph, file: Uint8Array, size: GraphSize): Promise<HeldGraph> {
  const graph = makeGraph(size.dimensions);
  const folder = makePrivateFolder();
  try {
    const path = join(folder, "index");
    await writeFile(path, file, { mode: 0o600 });
    await graph.readIndex(path).catch((cause: unknown) => {
      throw new DataDamaged("The vector index cannot be read", { cause });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return opened(makeGraph, graph, size);
}

/** The graph as hnswlib saves it. */
export function graphFile({ graph }: HeldGraph): Uint8Array {
  return inPrivateFolder((path) => {
    graph.writeIndexSync(path);
    return readFileSync(path);
  });
}

/** The nearest `k` of the `width` candidates that a search keeps; `width` is no less than `k`, or it finds fewer. */
export function searchGraph({ graph }: HeldGraph, query: Float32Array, k: number, width: number): Nearest {
  if (k === 0) return { indices: new Uint32Array(0), similarities: new Float32Array(0) };
  graph.setEf(width);
  const { neighbors, distances } = graph.searchKnn(pointOf(query), k);
  return byFallingSimilarity(neighbors, distances);
}

/** The numbers of a vector as hnswlib-node takes them. `Array.from` takes eight times as long. */
function pointOf(vector: Float32Array): number[] {
  const point = new Array<number>(vector.length);
  for (let d = 0; d < vector.length; d++) point[d] = vector[d]!;
  return point;
}

/** hnswlib puts equal distances by rising index; exact search puts equal similarities by falling index. */
function byFallingSimilarity(neighbors: readonly number[], distances: readonly number[]): Nearest {
  const count = neighbors.length;
  const indices = new Uint32Array(count);
  const similarities = new Float32Array(count);
  for (let from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count && distances[to] === distances[from]; ) to++;
    for (let i = from; i < to; i++) {
      indices[i] = neighbors[from + to - 1 - i]!;
      similarities[i] = 1 - distances[i]!;
    }
  }
  return { indices, similarities };
}

function opened(makeGraph: MakeGraph, graph: Graph, { count, dimensions }: GraphSize): HeldGraph {
  if (graph.getCurrentCount() !== count || graph.getNumDimensions() !== dimensions)
    throw new DataDamaged("The vector index holds another graph than it says");
  return hold(makeGraph, graph, dimensions);
}

interface Ended {
  readonly makeGraph: MakeGraph;
  readonly graph: Graph;
  readonly dimensions: number;
}

/** Keeps graphs alive while a thread of the pool uses their memory. */
const beingFreed = new Set<Graph>();

const ended = new FinalizationRegistry<Ended>((one) => {
  // Best effort: if this fails, collection frees the graph on this thread.
  free(one).catch(() => undefined);
});

function hold(makeGraph: MakeGraph, graph: Graph, dimensions: number): HeldGraph {
  const held = { graph };
  ended.register(held, { makeGraph, graph, dimensions });
  return held;
}

async function free({ makeGraph, graph, dimensions }: Ended): Promise<void> {
  const folder = makePrivateFolder();
  try {
    const path = join(folder, "index");
    const least = makeGraph(dimensions);
    least.initIndex({ maxElements: 1 });
    least.addPoint(new Array<number>(dimensions).fill(0), 0);
    least.writeIndexSync(path);
    // A full disk cuts the file off without an error. A graph that fails to read has freed its memory already, and would
    // free it again when collected. So another graph reads the file first.
    makeGraph(dimensions).readIndexSync(path);
    beingFreed.add(graph);
    await graph.readIndex(path);
    beingFreed.delete(graph);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `work` with the path of a file that only this user can read, and removes the file. */
function inPrivateFolder<T>(work: (path: string) => T): T {
  const folder = makePrivateFolder();
  try {
    return work(join(folder, "index"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws Unavailable when there is no room. */
function makePrivateFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "aisle-hnsw-"));
  } catch (cause) {
    throw new Unavailable("Cannot create a temporary folder", undefined, { cause });
  }
}
