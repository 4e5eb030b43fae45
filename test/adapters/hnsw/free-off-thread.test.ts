import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type hnswlib from "hnswlib-node";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { VECTOR_INDEX } from "../../../src/learning/training/semantic.js";

interface Counted {
  getCurrentCount(): number;
}

/** The graphs that began to read a file, in this order. */
const readers = vi.hoisted((): Counted[] => []);
const disk = vi.hoisted(() => ({ isFull: false, filesCutOff: 0 }));
vi.mock("hnswlib-node", async (importOriginal) => {
  const { default: original } = await importOriginal<{ default: typeof hnswlib }>();
  class Watched extends original.HierarchicalNSW {
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
  return { default: { ...original, HierarchicalNSW: Watched } };
});

const COUNT = 300;
const WAIT = { timeout: 20_000 };
const folder = mkdtempSync(join(tmpdir(), "aisle-freed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const indexes = hnswIndexes({ exactUpTo: 0, folder });
const circle = Float32Array.from({ length: 2 * COUNT }, (_, n) => {
  const angle = (2 * Math.PI * (n >> 1)) / COUNT;
  return n % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});
const bytes = indexes.build(circle, 2, { ...VECTOR_INDEX, seed: 7 }).encode();
const nearestToFirst = (search: ReturnType<typeof indexes.open>["search"]) => search(circle.subarray(0, 2), 1).indices;

/** Ends what nobody refers to; what is to be done then is done in a later turn. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc === "function") gc();
}

/** Opens a graph, searches it once and lets go of it; answers the graph that hnswlib-node knows. */
async function openAndSearch(): Promise<Counted | undefined> {
  const { search } = await indexes.openAside(bytes);
  const graph = readers.at(-1);
  expect([...nearestToFirst(search)]).toEqual([0]);
  return graph;
}

const timesRead = (graph: Counted | undefined) => readers.filter((one) => one === graph).length;

async function untilFreed(graph: Counted | undefined): Promise<void> {
  const afterCollection = () => {
    collect();
    return timesRead(graph);
  };
  await expect.poll(afterCollection, WAIT).toBe(2);
  await expect.poll(() => readdirSync(folder), WAIT).toEqual([]);
}

describe("an unused hnswlib graph", () => {
  it("is freed on a pool thread, which reads a graph of one vector over it", async () => {
    const graph = await openAndSearch();
    expect(graph?.getCurrentCount()).toBe(COUNT);
    await untilFreed(graph);
    expect(graph?.getCurrentCount()).toBe(1);
  });

  it("stays whole while only its search function is referenced", async () => {
    const { search } = await indexes.openAside(bytes);
    const graph = readers.at(-1);
    await untilFreed(await openAndSearch());
    expect([...nearestToFirst(search)]).toEqual([0]);
    expect([timesRead(graph), graph?.getCurrentCount()]).toEqual([1, COUNT]);
  });

  it("stays as it is, without an error, when there is no room for the one-vector file", async () => {
    const gone = mkdtempSync(join(tmpdir(), "aisle-freed-"));
    const elsewhere = hnswIndexes({ exactUpTo: 0, folder: gone });
    const open = async () => expect((await elsewhere.openAside(bytes)).count).toBe(COUNT);
    await open();
    const graph = readers.at(-1);
    rmSync(gone, { recursive: true });
    await untilFreed(await openAndSearch());
    expect([timesRead(graph), graph?.getCurrentCount()]).toEqual([1, COUNT]);
  });

  it("stays as it is when the disk fills up while the one-vector file is written", async () => {
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
