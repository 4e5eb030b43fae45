/**
 * Frees unused graphs off the main thread: a repair around hnswlib-node 3.0.0.
 *
 * Fault: hnswlib-node frees a graph's memory when its object is collected, on the thread that runs JavaScript.
 * Without this file each retired graph blocks all requests: 17 to 27 ms for 50,000 vectors.
 * Repair: `readIndex` frees the graph's previous memory on a pool thread. Searchers hold the graph by a handle. When the
 * handle is collected, the graph reads a file with a single vector.
 *
 * `test/adapters/hnsw/free-off-thread.test.ts` proves that the repair works. No test yet fails when hnswlib-node no longer
 * needs it. After each upgrade, measure the pause when a large graph is collected without a handle.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Graph, Hnswlib } from "./hnswlib.js";
import { makePrivateFolder } from "./private-folder.js";

/** Searchers hold the graph by its handle. Keep the handle for as long as the graph itself is used. */
export interface GraphHandle {
  readonly graph: Graph;
}

interface Ended {
  readonly hnswlib: Hnswlib;
  readonly graph: Graph;
  readonly dimensions: number;
  /** Where a folder for a temporary file is made. */
  readonly folder: string;
}

/** Keeps graphs alive while a pool thread uses their memory. */
const beingFreed = new Set<Graph>();

const ended = new FinalizationRegistry<Ended>((one) => {
  // Best effort: if this fails, collection frees the graph on the main thread.
  free(one).catch(() => undefined);
});

/** Returns a handle; its collection frees the graph. */
export function freedAside(hnswlib: Hnswlib, graph: Graph, dimensions: number, folder: string): GraphHandle {
  const handle = { graph };
  ended.register(handle, { hnswlib, graph, dimensions, folder });
  return handle;
}

async function free({ hnswlib, graph, dimensions, folder }: Ended): Promise<void> {
  const own = makePrivateFolder(folder);
  try {
    const file = join(own, "index");
    const least = new hnswlib.HierarchicalNSW("ip", dimensions);
    least.initIndex({ maxElements: 1 });
    least.addPoint(new Array<number>(dimensions).fill(0), 0);
    least.writeIndexSync(file);
    // A full disk truncates the file without an error. A graph that fails to read has already freed its memory, and
    // would free it again when collected. So a spare graph reads the file first.
    new hnswlib.HierarchicalNSW("ip", dimensions).readIndexSync(file);
    beingFreed.add(graph);
    await graph.readIndex(file);
    beingFreed.delete(graph);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
