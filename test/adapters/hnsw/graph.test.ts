import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import hnswlib from "hnswlib-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { exactIndex } from "../../../src/adapters/hnsw/exact-index.js";
import { decodeIndex, encodeIndex, HNSW } from "../../../src/adapters/hnsw/format.js";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { DataDamaged, Unavailable } from "../../../src/domain/errors.js";
import { createRandom } from "../../../src/learning/common/random.js";
import { VECTOR_INDEX } from "../../../src/learning/training/semantic.js";
import { recallAt10 } from "./recall.js";

/** The graphs that began to read a file aside, in this order. */
const readers: hnswlib.HierarchicalNSW[] = [];
const disk = { isFull: false, filesCutOff: 0 };

class Watched extends hnswlib.HierarchicalNSW {
  override readIndex(file: string): Promise<boolean> {
    readers.push(this);
    return super.readIndex(file);
  }

  override writeIndexSync(file: string): void {
    super.writeIndexSync(file);
    if (!disk.isFull) return;
    truncateSync(file, 64);
    disk.filesCutOff++;
  }
}

const WAIT = { timeout: 20_000 };
const folder = mkdtempSync(join(tmpdir(), "aisle-graphs-"));
beforeAll(() => {
  vi.stubEnv("TMPDIR", folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const fixture = (name: string) =>
  new Uint8Array(gunzipSync(readFileSync(join(import.meta.dirname, "../../fixtures", name))));
const graphs = hnswIndexes({ exactUpTo: 0, makeGraph: (dimensions) => new Watched("ip", dimensions) });

/** Rows of a seed, each of length 1. */
function unitVectors(count: number, dimensions: number, seed: number): Float32Array {
  const random = createRandom(seed);
  const vectors = new Float32Array(count * dimensions);
  for (let v = 0; v < count; v++) {
    const vector = vectors.subarray(v * dimensions, (v + 1) * dimensions);
    for (let d = 0; d < dimensions; d++) vector[d] = 2 * random() - 1;
    const length = Math.hypot(...vector);
    for (let d = 0; d < dimensions; d++) vector[d]! /= length;
  }
  return vectors;
}

describe("a graph of earlier versions, which built theirs without hnswlib", () => {
  const bytes = fixture("kernel-index.bin.gz");
  const vectors = unitVectors(300, 8, 11);

  it("is opened and finds the nearest", async () => {
    expect(decodeIndex(bytes).facts.kind).toBe(HNSW);
    expect(recallAt10(graphs.open(bytes, vectors), vectors, 300)).toBe(1);
    expect(recallAt10(await graphs.openAside(bytes, vectors), vectors, 300)).toBe(1);
  });

  it("is not needed where hnswlib-node is not installed: the vectors are compared", () => {
    const index = hnswIndexes({ makeGraph: undefined }).open(bytes, vectors);
    const query = vectors.subarray(0, 8);
    expect(index.search(query, 20)).toEqual(exactIndex(vectors, 8).search(query, 20));
  });
});

describe("a graph's bytes", () => {
  const vectors = unitVectors(60, 8, 3);
  const bytes = graphs.build(vectors, 8, { ...VECTOR_INDEX, seed: 7 }).encode();
  const { facts, payload } = decodeIndex(bytes);

  it("of another number or size of vectors are refused", () => {
    expect(() => graphs.open(bytes, unitVectors(59, 8, 3))).toThrow(DataDamaged);
    expect(() => graphs.open(encodeIndex({ ...facts, count: 59 }, payload), unitVectors(59, 8, 3))).toThrow(
      DataDamaged,
    );
  });

  it("that are cut off are refused, and so is another kind", async () => {
    const cut = encodeIndex(facts, payload.subarray(0, payload.length / 2));
    expect(() => graphs.open(cut, vectors)).toThrow(DataDamaged);
    await expect(graphs.openAside(cut, vectors)).rejects.toThrow(DataDamaged);
    expect(() => graphs.open(encodeIndex({ ...facts, kind: 2 }, payload), vectors)).toThrow(DataDamaged);
  });

  it("leave no file behind, and without a folder for files the graph is not available", async () => {
    graphs.open(bytes, vectors);
    await graphs.openAside(bytes, vectors);
    expect(readdirSync(folder)).toEqual([]);
    vi.stubEnv("TMPDIR", join(folder, "gone"));
    onTestFinished(() => {
      vi.stubEnv("TMPDIR", folder);
    });
    expect(() => graphs.open(bytes, vectors)).toThrow(Unavailable);
  });
});

describe("a graph that nobody holds any more", () => {
  const COUNT = 300;
  const circle = Float32Array.from({ length: 2 * COUNT }, (_, n) => {
    const angle = (2 * Math.PI * (n >> 1)) / COUNT;
    return n % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
  });
  const bytes = graphs.build(circle, 2, { ...VECTOR_INDEX, seed: 7 }).encode();
  const nearestToFirst = (search: ReturnType<typeof graphs.open>["search"]) => search(circle.subarray(0, 2), 1).indices;

  /** Ends what nobody refers to; what is to be done then is done in a later turn. */
  function collect(): void {
    setFlagsFromString("--expose-gc");
    const gc: unknown = runInNewContext("gc");
    if (typeof gc === "function") gc();
  }

  /** Opens a graph, searches it once and lets go of it; answers the graph that hnswlib-node knows. */
  async function openAndSearch(): Promise<hnswlib.HierarchicalNSW | undefined> {
    const { search } = await graphs.openAside(bytes, circle);
    const graph = readers.at(-1);
    expect([...nearestToFirst(search)]).toEqual([0]);
    return graph;
  }

  const timesRead = (graph: hnswlib.HierarchicalNSW | undefined) => readers.filter((one) => one === graph).length;

  async function untilFreed(graph: hnswlib.HierarchicalNSW | undefined): Promise<void> {
    const afterCollection = () => {
      collect();
      return timesRead(graph);
    };
    await expect.poll(afterCollection, WAIT).toBe(2);
    await expect.poll(() => readdirSync(folder), WAIT).toEqual([]);
  }

  it("is freed on a thread of the pool, which reads a graph of one vector over it", async () => {
    const graph = await openAndSearch();
    expect(graph?.getCurrentCount()).toBe(COUNT);
    await untilFreed(graph);
    expect(graph?.getCurrentCount()).toBe(1);
  });

  it("stays whole while its search alone is held", async () => {
    const { search } = await graphs.openAside(bytes, circle);
    const graph = readers.at(-1);
    await untilFreed(await openAndSearch());
    expect([...nearestToFirst(search)]).toEqual([0]);
    expect([timesRead(graph), graph?.getCurrentCount()]).toEqual([1, COUNT]);
  });

  it("stays as it is when the disk fills up while the file of one vector is written", async () => {
    disk.isFull = true;
    onTestFinished(() => {
      disk.isFull = false;
    });
    const graph = await openAndSearch();
    const filesCutOff = () => {
      collect();
      return disk.filesCutOff;
    };
    await expect.poll(filesCutOff, WAIT).toBeGreaterThan(0);
    await expect.poll(() => readdirSync(folder), WAIT).toEqual([]);
    expect([timesRead(graph), graph?.getCurrentCount()]).toEqual([1, COUNT]);
  });
});
