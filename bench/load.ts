/** What the benchmarks of stores share: how they load, what a product view is, and the machine they ran on. */
import { cpus, totalmem } from "node:os";
import type { MongoClient, OptionalUnlessRequiredId } from "mongodb";
import type { Event } from "../src/domain/event.js";

export interface Measured {
  readonly perSecond: number;
  /** CPU of this process for one call, µs; what servers use in processes of their own is not in it. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls that rejected; the other figures are of those that did not. */
  readonly failed: number;
}

/** Runs `call` from `callers` loops until the time is over. */
export async function measure(
  seconds: number,
  callers: number,
  call: (n: number) => Promise<unknown>,
): Promise<Measured> {
  const latencies: number[] = [];
  let n = 0;
  let failed = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  const loop = async () => {
    while (performance.now() < end) {
      const from = performance.now();
      try {
        await call(n++);
        latencies.push(performance.now() - from);
      } catch {
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, loop));
  const took = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: latencies.length / took,
    cpuMicros: (used.user + used.system) / Math.max(1, latencies.length),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failed,
  };
}

/** The `n`th product view of a shop with so many visitors, as it is stored: about 600 bytes. */
export function viewEvent(n: number, visitors: number): Event {
  return {
    eventId: `018f3c2e-7b1a-7c3d-9e4f-${n.toString(16).padStart(12, "0")}`,
    actionType: "product_view",
    bot: false,
    sender: "browser",
    occurredAt: 1_700_000_000_000 + n,
    receivedAt: 1_700_000_000_120 + n,
    visitor: { clientId: `c-${n % visitors}`, fingerprintId: "4f5e6a7b8c9d0e1f2a3b4c5d6e7f8091", userId: "" },
    contact: null,
    products: [
      {
        productId: "10442",
        sku: "BOOT-10442-BLK",
        variantId: "10442-43",
        title: "Waterproof hiking boots with a stiff sole, black, for men",
        imageUrl: "https://cdn.shop.example.com/media/catalog/product/b/o/boot-10442-black.jpg",
        url: "https://shop.example.com/outdoor/shoes/waterproof-hiking-boots-10442.html",
        quantity: 1,
        available: true,
        categories: [
          { categoryId: "3", name: "Outdoor" },
          { categoryId: "31", name: "Shoes" },
          { categoryId: "317", name: "Hiking boots" },
        ],
        brandId: "81",
        brandName: "Northridge",
        price: { amount: "149.99", currency: "EUR" },
      },
    ],
    categories: [],
    order: null,
    searchQuery: "",
    platform: "magento2",
    platformVersion: "2.4.6",
    senderVersion: "1.12.0",
    isShops: false,
    recommendationIds: [],
    extraFields: { page_type: "product", session: "9f8e7d6c5b4a" },
    notes: [],
  };
}

/** Forms of `POST /trace` as a shop's plugin sends them: so many product views, of 500 products. */
export function viewForms(appId: string, count: number, visitors = 2000): string[] {
  return Array.from({ length: count }, (_, n) => {
    const { products, platform, extraFields } = viewEvent(n, visitors);
    const [product] = products;
    return new URLSearchParams({
      app_id: appId,
      action_type: "product_view",
      c_id: `c-${n % visitors}`,
      product_ids: `${10_000 + (n % 500)}`,
      product_skus: `BOOT-${n % 500}`,
      product_titles: product?.title ?? "",
      product_urls: `https://shop.example.com/outdoor/shoes/waterproof-hiking-boots-${n % 500}.html`,
      product_images: product?.imageUrl ?? "",
      product_category_ids: product?.categories.map(({ categoryId }) => categoryId).join("~") ?? "",
      platform,
      ...extraFields,
    }).toString();
  });
}

/** The row of a visitor's history that a product view makes. */
export function interactionOf(event: Event) {
  return { type: "product_view" as const, at: event.occurredAt, productIds: ["10442"], ref: event.eventId };
}

interface Plain {
  readonly _id: string;
}

/** Inserts documents with the driver alone, those of many callers in one insertMany, as durable as the store's. */
export function gatheredInserts(client: MongoClient, database: string, name: string) {
  const concern = { w: "majority", journal: true } as const;
  const collection = client.db(database).collection<Plain>(name, { writeConcern: concern });
  const waiting: { readonly document: OptionalUnlessRequiredId<Plain>; readonly done: () => void }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 500);
      const documents = batch.map(({ document }) => document);
      await collection.insertMany(documents, { ordered: false });
      for (const { done } of batch) done();
    }
    running = false;
  };
  return (document: Plain & Readonly<Record<string, unknown>>) =>
    new Promise<void>((resolve) => {
      waiting.push({ document, done: resolve });
      if (!running) void run();
    });
}

const TASK_RUNS = 5;

/**
 * CPU that a fixed task takes now, ms: a text of 1 MB is parsed, sorted and written. The median of some runs. A virtual
 * machine is slower while others use its hardware, and so is everything measured on it.
 */
function fixedTaskMs(): number {
  const text = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ id: `p-${(n * 7919) % 40_000}`, n })));
  const runs = Array.from({ length: TASK_RUNS }, () => {
    const begun = process.cpuUsage();
    const rows: { id: string }[] = JSON.parse(text);
    JSON.stringify(rows.sort((a, b) => (a.id < b.id ? -1 : 1)));
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  });
  return runs.sort((a, b) => a - b)[Math.floor(TASK_RUNS / 2)] ?? 0;
}

/** What figures are of no worth without. */
export function machine() {
  return {
    cores: cpus().length,
    model: cpus()[0]?.model.trim() ?? "",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    fixedTaskMs: fixedTaskMs(),
  };
}
