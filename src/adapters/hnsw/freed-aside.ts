/**
 * Frees graphs that nobody asks any more, aside of the thread that runs JavaScript.
 *
 * hnswlib-node frees what a graph holds when its object is collected, on that thread: 50,000 vectors keep everybody
 * waiting for some 20 ms. But a graph that reads a file frees what it held before by the thread that reads. So those who
 * search a graph have it by a handle, and when the handle is collected the graph reads a graph of one vector.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import hnswlib from "hnswlib-node";
import { makePrivateFolder } from "./private-folder.js";

export type Graph = InstanceType<typeof hnswlib.HierarchicalNSW>;

/** What a graph is searched by; who keeps the graph itself must keep this too. */
export interface GraphHandle {
  readonly graph: Graph;
}

interface Ended {
  readonly graph: Graph;
  readonly dimensions: number;
  /** Where a folder for a temporary file is made. */
  readonly folder: string;
}

/** Their memory is in use by a thread, so that they must not be collected. */
const beingFreed = new Set<Graph>();

const ended = new FinalizationRegistry<Ended>((one) => {
  // Without the file the graph is freed when it is collected.
  free(one).catch(() => undefined);
});

/** A handle whose end frees the graph. */
export function freedAside(graph: Graph, dimensions: number, folder: string): GraphHandle {
  const handle = { graph };
  ended.register(handle, { graph, dimensions, folder });
  return handle;
}

async function free({ graph, dimensions, folder }: Ended): Promise<void> {
  const own = makePrivateFolder(folder);
  try {
    const file = join(own, "index");
    const least = new hnswlib.HierarchicalNSW("ip", dimensions);
    least.initIndex({ maxElements: 1 });
    least.addPoint(new Array<number>(dimensions).fill(0), 0);
    least.writeIndexSync(file);
    // A full disk cuts the file off and nothing is said, and a graph whose reading fails has freed what it held before:
    // it would be freed again in the end. So another one reads the file first.
    new hnswlib.HierarchicalNSW("ip", dimensions).readIndexSync(file);
    beingFreed.add(graph);
    await graph.readIndex(file);
    beingFreed.delete(graph);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
