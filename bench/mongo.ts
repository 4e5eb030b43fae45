/**
 * Works a second of the MongoDB store, beside plain insertMany of the same documents in the same run.
 *
 *   npx tsx bench/mongo.ts [seconds for each measurement, default 4]
 *
 * Against the server the tests use (MONGODB_TEST_URL, mongod, FerretDB). A work is what a product view costs: the event
 * and an interaction inserted, the visitor and one of its keys read, both made when they are new, and one idempotency
 * key claimed. The plain side inserts the same event, interaction and key, gathered in the same way: the next insertMany
 * takes all that came while the one before was under way. Ratios hold on any machine, absolute numbers do not.
 */
import { MongoClient, type OptionalUnlessRequiredId } from "mongodb";
import { openMongoStore } from "../src/adapters/mongo/store.js";
import type { Event } from "../src/domain/event.js";
import type { Store } from "../src/ports/store.js";
import { openMongoPeer } from "../test/fixtures/mongo-peer.js";

const SECONDS = Number(process.argv[2] ?? 4);
const VISITORS = 2000;
const ANSWER_MS = 60_000;

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs `call` from `callers` loops until the time is over. The CPU is that of this process, not the server's. */
async function measure(callers: number, call: (n: number) => Promise<unknown>): Promise<Measured> {
  const latencies: number[] = [];
  let n = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + SECONDS * 1000;
  const loop = async () => {
    while (performance.now() < end) {
      const from = performance.now();
      await call(n++);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: callers }, loop));
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: latencies.length / seconds,
    cpuMicros: (used.user + used.system) / latencies.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function show(name: string, one: Measured, base?: Measured): void {
  const ratio = base === undefined ? "" : `, ${(one.perSecond / base.perSecond).toFixed(2)} of plain inserts`;
  console.log(
    `${name}: ${Math.round(one.perSecond).toLocaleString("en")}/s, ${Math.round(one.cpuMicros)} µs CPU, ` +
      `p50 ${one.p50Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms${ratio}`,
  );
}

function event(n: number): Event {
  return {
    eventId: `018f3c2e-7b1a-7c3d-9e4f-${n.toString(16).padStart(12, "0")}`,
    actionType: "product_view",
    sender: "browser",
    occurredAt: 1_700_000_000_000 + n,
    receivedAt: 1_700_000_000_120 + n,
    visitor: { clientId: `c-${n % VISITORS}`, fingerprintId: "4f5e6a7b8c9d0e1f2a3b4c5d6e7f8091", userId: "" },
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
        categories: [{ categoryId: "317", name: "Hiking boots" }],
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
    extraFields: { page_type: "product", session: "9f8e7d6c5b4a" },
    notes: [],
  };
}

function interaction(one: Event) {
  return { type: "product_view" as const, at: one.occurredAt, productIds: ["10442"], ref: one.eventId };
}

/** One product view, as intake would record it. */
function recordView(store: Store, appId: string, n: number): Promise<void> {
  return store.unitOfWork.run(appId, (tx) => {
    tx.app();
    const one = event(n);
    const key = `k-${n}`;
    if (tx.idempotency.get(key) !== undefined) return;
    tx.idempotency.put(key, { eventId: one.eventId, bodyHash: "h", claimedAt: one.receivedAt });
    const name = `c:${one.visitor.clientId}`;
    const visitorId = tx.visitorKeys.get(name) ?? `visitor-${one.eventId}`;
    if (tx.visitors.get(visitorId) === undefined) {
      const { receivedAt: createdAt } = one;
      tx.visitors.put(visitorId, {
        visitorId,
        keys: [name],
        members: [visitorId],
        contactId: "",
        linkedAt: 0,
        createdAt,
      });
      tx.visitorKeys.put(name, visitorId);
    }
    tx.events.put(one.eventId, one);
    tx.putInteraction(visitorId, interaction(one));
    tx.markChanged();
  });
}

/** Inserts documents, those of many callers in one insertMany. */
function gatheredInserts(client: MongoClient, database: string, name: string) {
  interface Plain {
    readonly _id: string;
  }
  const concern = { w: "majority", journal: true } as const;
  const collection = client.db(database).collection<Plain>(name, { writeConcern: concern });
  const waiting: { readonly document: OptionalUnlessRequiredId<Plain>; readonly done: () => void }[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 500);
      await collection.insertMany(
        batch.map(({ document }) => document),
        { ordered: false },
      );
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

const peer = await openMongoPeer();
if (peer === undefined) process.exit(1);
const DATABASES = ["aisle_bench", "aisle_bench_plain"];
try {
  for (const database of DATABASES) await peer.drop(database);
  const url = peer.url("aisle_bench");
  const open = () => openMongoStore({ url, now: Date.now, limits: { answerMs: ANSWER_MS }, log: console.log });
  const stores = [await open(), await open()];
  const client = new MongoClient(peer.url("aisle_bench_plain"));
  const [events, rows, keys] = ["events", "interactions", "idempotency"].map((name) =>
    gatheredInserts(client, "aisle_bench_plain", name),
  );
  let next = 0;
  const plain = async () => {
    const n = next++;
    const one = event(n);
    await Promise.all([
      events!({ _id: `bench\0${one.eventId}`, app: "bench", rev: 1, v: one }),
      rows!({ _id: `bench\0${n % VISITORS}\0${n}`, app: "bench", rev: 1, v: interaction(one) }),
      keys!({ _id: `bench\0k-${n}`, app: "bench", rev: 1, v: { eventId: one.eventId, bodyHash: "h", claimedAt: n } }),
    ]);
  };
  for (const callers of [1, 64, 512]) {
    const base = await measure(callers, plain);
    show(`${callers} callers, plain insertMany`, base);
    show(`${callers} callers, works`, await measure(callers, () => recordView(stores[0]!, "one", next++)), base);
    const shared = (n: number) => recordView(stores[n % 2]!, "shared", next++);
    show(`${callers} callers, works of one app on two servers`, await measure(callers, shared), base);
  }
  await Promise.all([...stores.map((store) => store.close()), client.close()]);
} finally {
  for (const database of DATABASES) await peer.drop(database);
  await peer.stop();
}
