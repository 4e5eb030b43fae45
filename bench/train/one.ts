/**
 * One training of a made-up shop in a process of its own, told by its arguments: products, events, whether the order is
 * learned and products have texts, and the file to write the snapshot to. Says each stage on standard error as it begins, and at the end what the
 * training took as a line of JSON.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { getHeapStatistics } from "node:v8";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { snapshotLength } from "../../src/domain/model.js";
import { decodeContainer } from "../../src/learning/snapshot/container.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { productBatches, shopHistories } from "./shop.js";

export interface Trained {
  readonly products: number;
  readonly events: number;
  readonly sessions: number;
  readonly seconds: number;
  /** CPU of all threads, which counts the making of the shop's histories as well. */
  readonly cpuSeconds: number;
  /** Seconds of each stage by its name. */
  readonly stages: Readonly<Record<string, number>>;
  /** Most memory of the process in each stage, MiB. */
  readonly peaks: Readonly<Record<string, number>>;
  /** The greatest of these. */
  readonly memoryMib: number;
  /** The most of it that JavaScript's heap used when a stage began. */
  readonly heapMib: number;
  readonly snapshotMib: number;
  /** Of each part of the snapshot. */
  readonly parts: Readonly<Record<string, number>>;
}

const MIB = 2 ** 20;

/** Most memory of the process since this was asked before, MiB, as Linux counts it. */
function takePeak(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  writeFileSync("/proc/self/clear_refs", "5");
  return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
}

async function trainOne(
  productCount: number,
  events: number,
  learnedOrder: boolean,
  hasTexts: boolean,
  file: string,
): Promise<Trained> {
  const stages: Record<string, number> = {};
  const peaks: Record<string, number> = {};
  const startedAt = performance.now();
  let stage = "";
  let stageAt = startedAt;
  let heapMib = 0;
  const next = (name: string) => {
    const now = performance.now();
    if (stage !== "") {
      stages[stage] = (stages[stage] ?? 0) + (now - stageAt) / 1000;
      peaks[stage] = Math.max(peaks[stage] ?? 0, takePeak());
    }
    heapMib = Math.max(heapMib, getHeapStatistics().used_heap_size / MIB);
    if (name !== stage)
      console.error(
        `${((now - startedAt) / 1000).toFixed(0)} s: ${name} (${(peaks[stage] ?? 0).toFixed(0)} MiB before)`,
      );
    stage = name;
    stageAt = now;
  };
  const cpu = process.cpuUsage();
  const { bytes, manifest } = await trainModel({
    appId: "shop",
    products: { scan: () => productBatches(productCount, hasTexts) },
    interactions: { scan: () => shopHistories(events, productCount) },
    vectorIndexes: hnswIndexes(),
    learnedOrder,
    onProgress: (progress) => next(progress.stage),
  });
  next("");
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  const memoryMib = Math.max(...Object.values(peaks));
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
    peaks,
    memoryMib,
    heapMib,
    snapshotMib: snapshotLength(bytes) / MIB,
    parts: Object.fromEntries(
      [...decodeContainer(bytes).sections].map(([name, { arrays }]) => [
        name,
        Object.values(arrays).reduce((sum, { byteLength }) => sum + byteLength / MIB, 0),
      ]),
    ),
  };
}

const [products, events, learnedOrder, texts, file = ""] = process.argv.slice(2);
console.log(
  JSON.stringify(await trainOne(Number(products), Number(events), learnedOrder === "true", texts === "true", file)),
);
