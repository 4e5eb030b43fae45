/**
 * One training of a made-up shop in a process of its own, told by its arguments: products, events, whether the order is
 * learned, and the file to write the snapshot to. Says each stage on standard error as it begins, and at the end what the
 * training took as a line of JSON.
 */
import { open, writeFile } from "node:fs/promises";
import { getHeapStatistics } from "node:v8";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { snapshotLength } from "../../src/domain/model.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { inBatches, shopHistories, shopProducts } from "./shop.js";

export interface Trained {
  readonly products: number;
  readonly events: number;
  readonly sessions: number;
  readonly seconds: number;
  /** CPU of all threads, which counts the making of the shop's histories as well. */
  readonly cpuSeconds: number;
  /** Seconds of each stage by its name. */
  readonly stages: Readonly<Record<string, number>>;
  /** Most memory the process had until the model was made, MiB, the shop's products included. */
  readonly memoryMib: number;
  /** The most of it that JavaScript's heap used when a stage began. */
  readonly heapMib: number;
  readonly snapshotMib: number;
}

const MIB = 2 ** 20;

async function trainOne(productCount: number, events: number, learnedOrder: boolean, file: string): Promise<Trained> {
  const products = shopProducts(productCount);
  const stages: Record<string, number> = {};
  const startedAt = performance.now();
  let stage = "";
  let stageAt = startedAt;
  let heapMib = 0;
  const next = (name: string) => {
    const now = performance.now();
    if (stage !== "") stages[stage] = (stages[stage] ?? 0) + (now - stageAt) / 1000;
    heapMib = Math.max(heapMib, getHeapStatistics().used_heap_size / MIB);
    if (name !== stage) console.error(`${((now - startedAt) / 1000).toFixed(0)} s: ${name}`);
    stage = name;
    stageAt = now;
  };
  const cpu = process.cpuUsage();
  const { bytes, manifest } = await trainModel({
    appId: "shop",
    products: { scan: () => inBatches(products) },
    interactions: { scan: () => shopHistories(events, productCount) },
    vectorIndexes: hnswIndexes(),
    learnedOrder,
    onProgress: (progress) => next(progress.stage),
  });
  next("");
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  const memoryMib = process.resourceUsage().maxRSS / 1024;
  const snapshot = await open(file, "wx");
  for (const piece of bytes) await snapshot.writeFile(piece);
  await snapshot.close();
  await writeFile(`${file}.pieces`, JSON.stringify(bytes.map(({ length }) => length)));
  return {
    products: productCount,
    events,
    sessions: manifest.dataCounts.sessions ?? 0,
    seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    stages,
    memoryMib,
    heapMib,
    snapshotMib: snapshotLength(bytes) / MIB,
  };
}

const [products, events, learnedOrder, file = ""] = process.argv.slice(2);
console.log(JSON.stringify(await trainOne(Number(products), Number(events), learnedOrder === "true", file)));
