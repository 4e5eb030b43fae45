/**
 * Serves the snapshot of a made-up shop in a process of its own, told by its arguments: products and the snapshot's file.
 * Says what its load and its recommendations took as a line of JSON.
 */
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { bareApp } from "../../src/domain/app.js";
import { DEFAULT_FRAME } from "../../src/domain/frame.js";
import { loadServingModel } from "../../src/learning/snapshot/serving-model.js";
import { createRecommender } from "../../src/recommend/recommend.js";
import { BLANK_QUERY } from "../../src/recommend/request/query.js";
import { readPieces } from "../../src/store/lmdb/model-files.js";
import { createSnapshotBuffers } from "../../src/store/snapshot-buffers.js";
import { processFigures } from "../process-figures.js";
import { END, productBatches, stepsOfVisitors } from "./shop.js";

export interface Served {
  /** From the bytes in memory to the model. */
  readonly loadMs: number;
  /** CPU of a recommendation for a history of 20 steps, µs. */
  readonly recommendMicros: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** Memory of the process with catalogue and model, after a collection. */
  readonly servingMib: number;
}

const CALLS = 2000;
/** Calls until code is compiled. */
const WARM = CALLS / 4;
const HISTORY = 20;
const MIB = 2 ** 20;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function serveOne(productCount: number, file: string): Promise<Served> {
  const lengths: number[] = JSON.parse(await readFile(`${file}.pieces`, "utf8"));
  const read = await readPieces(file, lengths, createSnapshotBuffers());
  if (read === undefined) throw new Error(`${file} is not there`);
  const loadedAt = performance.now();
  const model = loadServingModel("m", read.pieces, hnswIndexes());
  const loadMs = performance.now() - loadedAt;

  const scan = () => productBatches(productCount);
  const catalog = await createCatalogViews({ scan, watch: () => () => {} }, Date.now).of("shop");
  const recommend = createRecommender({ metrics: { count() {}, observe() {} }, reportFailure() {} });
  const app = bareApp("shop", 0);
  const took: number[] = [];
  let from = process.cpuUsage();
  for (const [n, interactions] of (await stepsOfVisitors(CALLS, HISTORY, productCount)).entries()) {
    if (n === WARM) from = process.cpuUsage();
    const query = { ...BLANK_QUERY, interactions, currentProductIds: [interactions.at(-1)?.productId ?? ""] };
    const askedAt = performance.now();
    recommend(
      { query, frame: DEFAULT_FRAME, known: [], catalog, model, filters: [], app, version: "", now: END },
      false,
    );
    if (n >= WARM) took.push(performance.now() - askedAt);
  }
  const asked = process.cpuUsage(from);
  took.sort((a, b) => a - b);
  collect();
  return {
    loadMs,
    recommendMicros: (asked.user + asked.system) / took.length,
    p50Ms: took[Math.floor(took.length / 2)]!,
    p90Ms: took[Math.floor(took.length * 0.9)]!,
    p99Ms: took[Math.floor(took.length * 0.99)]!,
    servingMib: (await processFigures(process.pid)).ownBytes / MIB,
  };
}

const [products, file = ""] = process.argv.slice(2);
console.log(JSON.stringify(await serveOne(Number(products), file)));
