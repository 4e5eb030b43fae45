/** An HNSW graph in the memory of a compiled kernel, where it lies as its file does. */
import { setImmediate } from "node:timers/promises";
import { DataDamaged } from "../../domain/errors.js";
import { createRandom } from "../../learning/common/random.js";
import { createGraphKernel, FOLLOWED, type GraphKernel } from "../../learning/kernels/graph.js";
import { reserve } from "../../learning/kernels/wasm.js";
import type { Nearest, VectorIndexParams } from "../vector-index.js";
import {
  type Entrance,
  FILE_HEADER_BYTES,
  type GraphShape,
  numbersInRecord,
  readHeader,
  recordBytes,
  upperBytes,
  writeHeader,
} from "./graph-file.js";

export interface Graph {
  /** The nearest `k` of the `width` candidates that a search keeps; `width` is no less than `k`. */
  search(query: Float32Array, k: number, width: number): Nearest;
  /** The graph's file; it is overwritten by nothing but must not be written to. */
  readonly file: Uint8Array;
}

/** A kernel addresses so much memory. */
const MOST_BYTES = 2 ** 32;
const COPIED_AT_ONCE = 2 ** 22;

/** The same vectors and parameters give the same graph. Undefined when it would be larger than a kernel's memory. */
export function buildGraph(
  vectors: Float32Array,
  dimensions: number,
  { m, efConstruction, seed }: Omit<VectorIndexParams, "efSearch">,
): Graph | undefined {
  const shape = { count: vectors.length / dimensions, dimensions, m };
  const levels = drawLevels(shape, seed);
  const bytes = fileBytes(shape, levels);
  const width = Math.min(shape.count, Math.max(efConstruction, m));
  if (bytesInAll(shape, bytes) + 8 * width > MOST_BYTES) return undefined;
  const room = createRoom(shape, bytes);
  writeVectors(room, shape, vectors, levels);
  const poolAt = take(room, shape);
  reserve(room.kernel.memory, poolAt + 8 * width + 16);
  let [entry, topLevel] = [0, levels[0]!];
  for (let id = 1; id < shape.count; id++) {
    const level = levels[id]!;
    room.kernel.add(id, level, entry, topLevel, width);
    if (level > topLevel) [entry, topLevel] = [id, level];
  }
  writeHeader(fileView(room), shape, { entry, topLevel }, efConstruction);
  return graphIn(room, shape, { entry, topLevel }, poolAt);
}

/** Throws DataDamaged when the file does not hold a graph of so many vectors and dimensions. */
export function openGraph(file: Uint8Array, size: Omit<GraphShape, "m">): Graph {
  const opened = roomFor(file, size);
  opened.copy(0, file.length);
  return opened.graph();
}

/** The same in steps, with other work in between. */
export async function openGraphAside(file: Uint8Array, size: Omit<GraphShape, "m">): Promise<Graph> {
  const opened = roomFor(file, size);
  for (let from = 0; from < file.length; from += COPIED_AT_ONCE) {
    opened.copy(from, from + COPIED_AT_ONCE);
    await setImmediate();
  }
  return opened.graph();
}

/** The memory of a kernel: a query, the file, what the kernel needs, and the pool of a search. */
interface Room {
  readonly kernel: GraphKernel;
  readonly fileAt: number;
  readonly fileBytes: number;
}

const queryBytes = (dimensions: number) => 16 * Math.ceil(dimensions / 4);

/** For each vector the kernel has five bytes beside the file, and some short lists. */
const bytesInAll = ({ count, dimensions, m }: GraphShape, bytes: number) =>
  queryBytes(dimensions) + bytes + 5 * count + 64 * (m + 16);

function createRoom(shape: GraphShape, bytes: number): Room {
  const kernel = createGraphKernel();
  reserve(kernel.memory, bytesInAll(shape, bytes));
  return { kernel, fileAt: queryBytes(shape.dimensions), fileBytes: bytes };
}

const fileView = ({ kernel, fileAt, fileBytes }: Room) => new DataView(kernel.memory.buffer, fileAt, fileBytes);

function roomFor(file: Uint8Array, size: Omit<GraphShape, "m">) {
  const header = readHeader(new DataView(file.buffer, file.byteOffset, file.byteLength), size);
  if (header === undefined) throw new DataDamaged("The vector index holds another graph than it says");
  const shape = { ...size, m: header.m };
  const room = createRoom(shape, file.length);
  return {
    copy: (from: number, to: number) =>
      new Uint8Array(room.kernel.memory.buffer, room.fileAt).set(file.subarray(from, to), from),
    graph: () => graphIn(room, shape, header, take(room, shape)),
  };
}

function take({ kernel, fileAt, fileBytes }: Room, { count, dimensions, m }: GraphShape): number {
  const poolAt = kernel.take(count, dimensions, m, fileAt + FILE_HEADER_BYTES, fileAt + fileBytes) >>> 0;
  if (poolAt === 0) throw new DataDamaged("The vector index holds a damaged graph");
  return poolAt;
}

function graphIn({ kernel, fileAt, fileBytes }: Room, { dimensions }: GraphShape, at: Entrance, poolAt: number): Graph {
  const { memory } = kernel;
  return {
    search(query, k, width) {
      reserve(memory, poolAt + 8 * width + 16);
      new Float32Array(memory.buffer, 0, dimensions).set(query);
      const found = Math.min(k, kernel.search(0, at.entry, at.topLevel, width));
      return byFallingSimilarity(memory.buffer, poolAt, found);
    },
    get file() {
      return new Uint8Array(memory.buffer, fileAt, fileBytes);
    },
  };
}

/**
 * Reads the pool of a search, which is sorted by distances; those are 1 - similarity. Equal ones are put by falling
 * index, as exact search does.
 */
function byFallingSimilarity(buffer: ArrayBuffer, poolAt: number, count: number): Nearest {
  const distances = new Float32Array(buffer, poolAt, 2 * count);
  const ids = new Uint32Array(buffer, poolAt, 2 * count);
  const indices = new Uint32Array(count);
  const similarities = new Float32Array(count);
  for (let from = 0, at = 0; at < count; at++) {
    indices[at] = ids[2 * at + 1]! & ~FOLLOWED;
    similarities[at] = 1 - distances[2 * at]!;
    if (at + 1 < count && distances[2 * at + 2] === distances[2 * at]) continue;
    if (at > from)
      indices
        .subarray(from, at + 1)
        .sort()
        .reverse();
    from = at + 1;
  }
  return { indices, similarities };
}

/** The highest level of each vector, by the distribution of the paper. */
function drawLevels({ count, m }: GraphShape, seed: number): Uint8Array {
  const random = createRandom(seed);
  return Uint8Array.from({ length: count }, () => -Math.log(1 - random()) / Math.log(m));
}

function fileBytes(shape: GraphShape, levels: Uint8Array): number {
  let bytes = FILE_HEADER_BYTES + shape.count * (recordBytes(shape) + 4);
  for (const level of levels) bytes += upperBytes(shape.m, level);
  return bytes;
}

/** Writes all but the links and the header. */
function writeVectors(room: Room, shape: GraphShape, vectors: Float32Array, levels: Uint8Array): void {
  const { count, dimensions, m } = shape;
  const view = fileView(room);
  const floats = new Float32Array(room.kernel.memory.buffer);
  const record = recordBytes(shape);
  let upperAt = FILE_HEADER_BYTES + count * record;
  for (let id = 0; id < count; id++) {
    const recordAt = FILE_HEADER_BYTES + id * record;
    const numbers = vectors.subarray(id * dimensions, (id + 1) * dimensions);
    floats.set(numbers, (room.fileAt + recordAt + numbersInRecord(m)) / 4);
    view.setUint32(recordAt + record - 8, id, true);
    const upper = upperBytes(m, levels[id]!);
    view.setUint32(upperAt, upper, true);
    upperAt += 4 + upper;
  }
}
