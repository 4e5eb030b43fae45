/**
 * One training of a made-up shop in a process of its own, told by its arguments: products, events and whether the order is
 * learned. Says what it took as a line of JSON.
 */
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { bareApp } from "../../src/domain/app.js";
import { DEFAULT_FRAME } from "../../src/domain/frame.js";
import { loadServingModel } from "../../src/learning/model/serving-model.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { BLANK_QUERY } from "../../src/recommend/query.js";
import { createRecommender } from "../../src/recommend/recommend.js";
import { END, shopHistories, shopProducts } from "./shop.js";

export interface Trained {
  readonly products: number;
  readonly events: number;
  readonly seconds: number;
  /** CPU of all threads, which counts the making of the shop's histories as well. */
  readonly cpuSeconds: number;
  /** Seconds of each stage by its name. */
  readonly stages: Readonly<Record<string, number>>;
  /** Most memory the process had until the model was made, MiB, the shop's products included. */
  readonly memoryMib: number;
  readonly snapshotMib: number;
  readonly loadMs: number;
  /** CPU of a recommendation for a history of 20 steps, µs. */
  readonly recommendMicros: number;
}

const CALLS = 2000;
const HISTORY = 20;
/** Products read at a time, as from a store. */
const BATCH = 500;
const MIB = 2 ** 20;

export async function trainOne(productCount: number, events: number, learnedOrder: boolean): Promise<Trained> {
  const products = shopProducts(productCount);
  const scan = async function* () {
    for (let from = 0; from < products.length; from += BATCH) yield products.slice(from, from + BATCH);
  };
  const stages: Record<string, number> = {};
  let stage = "";
  let stageAt = performance.now();
  const next = (name: string) => {
    const now = performance.now();
    if (stage !== "") stages[stage] = (stages[stage] ?? 0) + (now - stageAt) / 1000;
    stage = name;
    stageAt = now;
  };
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const vectorIndexes = hnswIndexes();
  const { bytes } = await trainModel({
    appId: "shop",
    products: { scan },
    interactions: { scan: () => shopHistories(events, productCount) },
    vectorIndexes,
    learnedOrder,
    onProgress: (progress) => next(progress.stage),
  });
  next("");
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  const memoryMib = process.resourceUsage().maxRSS / 1024;
  const loadedAt = performance.now();
  const model = loadServingModel("m", bytes, vectorIndexes);
  const loadMs = performance.now() - loadedAt;

  const catalog = await createCatalogViews({ scan, watch: () => () => {} }, Date.now).of("shop");
  const recommend = createRecommender({ metrics: { count() {}, observe() {} }, reportFailure() {} });
  const app = bareApp("shop", 0);
  const visitors = await firstSteps(CALLS, productCount);
  let from = process.cpuUsage();
  for (const [n, interactions] of visitors.entries()) {
    if (n === CALLS / 4) from = process.cpuUsage(); // until then code is compiled
    const query = { ...BLANK_QUERY, interactions, currentProductIds: [interactions.at(-1)?.productId ?? ""] };
    recommend(
      { query, frame: DEFAULT_FRAME, known: [], catalog, model, filters: [], app, version: "", now: END },
      false,
    );
  }
  const asked = process.cpuUsage(from);
  return {
    products: productCount,
    events,
    seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    stages,
    memoryMib,
    snapshotMib: bytes.byteLength / MIB,
    loadMs,
    recommendMicros: (asked.user + asked.system) / (CALLS * 0.75),
  };
}

/** The first 20 steps of two visitors each, as a storefront sends them. */
async function firstSteps(visitors: number, products: number) {
  const found: { type: "product_view" | "add_to_cart" | "order"; productId: string; sku: string; at: number }[][] = [];
  let steps: (typeof found)[number] = [];
  for await (const batch of shopHistories(visitors * HISTORY, products)) {
    for (const { interactions } of batch) {
      for (const { type, productIds, at } of interactions)
        steps.push({ type, productId: productIds[0] ?? "", sku: "", at });
      if (steps.length < HISTORY) continue;
      found.push(steps);
      steps = [];
    }
  }
  return found.slice(0, visitors);
}

if (process.argv[1] === import.meta.filename) {
  const [products, events, learnedOrder] = process.argv.slice(2);
  console.log(JSON.stringify(await trainOne(Number(products), Number(events), learnedOrder === "true")));
}
