/**
 * What to plan disks, memory and processors by: bytes of each kind of record, memory of a model, CPU of a call.
 *
 *   npm run bench -- sizing [products, default 10000] [events, default 40000] [calls of each kind, default 4000]
 *
 * A made-up shop: a visitor has 5 events, most are product views as shop plugins send them, one in 20 is an order of two
 * products. Bytes in MongoDB are those of the documents (BSON), which a server compresses and adds its indexes to; bytes
 * of the embedded store are those of its file. CPU is that of the server's processes, from /proc (Linux), so that it is
 * nearly the same on a busy machine as on an idle one; requests come from 16 callers.
 */
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { BSON, MongoClient } from "mongodb";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../src/gen/aisle/v1/model_service_pb.js";
import { RecommendationService } from "../src/gen/aisle/v1/recommendation_service_pb.js";
import { openMongoPeer } from "../test/fixtures/mongo-peer.js";
import { postAll } from "./post-all.js";
import { processFigures } from "./process-figures.js";
import { type BenchServer, startServer, startServerOn } from "./server.js";
import { trained } from "./trained.js";

const [PRODUCTS = 10_000, EVENTS = 40_000, CALLS = 4000] = process.argv.slice(2).map(Number);
const APP = "sizing";
const BATCH = 100;
const CALLERS = 16;
const WORDS =
  "oak lamp blue ceramic vase round linen copper kettle garden winter wool scarf glass silver stone cotton paper candle basket".split(
    " ",
  );

/** The same numbers from 0 to 1 in each run (a linear congruential generator). */
let state = 7;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const words = (count: number) =>
  Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
const titles = Array.from({ length: PRODUCTS }, (_, n) => `${words(5)} ${n}`);
/** Few products are looked at often: the place of one is the cube of an even number. */
const anyProduct = () => Math.floor(random() ** 3 * PRODUCTS);

function product(n: number) {
  return {
    productId: String(10_000 + n),
    sku: `SKU-${10_000 + n}`,
    title: titles[n] ?? "",
    description: `${titles[n]}. ${words(40)}`,
    categories: [{ categoryId: String(100 + (n % 60)), name: words(2) }],
    brand: words(1),
    price: { amount: "149.99", currency: "EUR" },
    url: `https://shop.example.com/category/${titles[n]?.replaceAll(" ", "-")}.html`,
    imageUrl: `https://cdn.shop.example.com/media/catalog/product/${10_000 + n}.jpg`,
  };
}

function event(n: number) {
  const visitor = Math.floor(n / 5);
  const viewed = (at: number) => ({
    productId: String(10_000 + at),
    sku: `SKU-${10_000 + at}`,
    title: titles[at] ?? "",
    url: `https://shop.example.com/category/${titles[at]?.replaceAll(" ", "-")}.html`,
    imageUrl: `https://cdn.shop.example.com/media/catalog/product/${10_000 + at}.jpg`,
    price: { amount: "149.99", currency: "EUR" },
  });
  const common = {
    visitor: {
      clientId: `client-${visitor}`,
      fingerprintId: `4f5e6a7b8c9d0e1f2a3b4c5d${String(visitor).padStart(8, "0")}`,
    },
    platform: "shop-platform",
    platformVersion: "2.4.6",
    senderVersion: "1.12.0",
  };
  if (n % 20 !== 19) return { ...common, actionType: "product_view", products: [viewed(anyProduct())] };
  const products = [anyProduct(), anyProduct()].map((at) => ({ ...viewed(at), quantity: 1 }));
  return {
    ...common,
    actionType: "order",
    products,
    order: { orderId: `order-${n}`, payment: { amount: "299.98", currency: "EUR" } },
    contact: { email: `visitor-${visitor}@example.com` },
  };
}

function transportTo({ rpcUrl }: BenchServer) {
  return createGrpcTransport({ baseUrl: rpcUrl, defaultTimeoutMs: 900_000 });
}

function clientsOf(server: BenchServer) {
  const transport = transportTo(server);
  return {
    apps: createClient(AppService, transport),
    catalog: createClient(CatalogService, transport),
    events: createClient(EventService, transport),
    models: createClient(ModelService, transport),
    recommendations: createClient(RecommendationService, transport),
  };
}

async function* batches<T, B>(count: number, one: (n: number) => T, batch: (some: T[]) => B): AsyncGenerator<B> {
  for (let from = 0; from < count; from += BATCH)
    yield batch(Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => one(from + n)));
}

async function fillProducts(server: BenchServer): Promise<void> {
  const { apps, catalog } = clientsOf(server);
  await apps.createApp({ app: { appId: APP } });
  await catalog.upsertProducts(batches(PRODUCTS, product, (products) => ({ appId: APP, products })));
}

async function fillEvents(server: BenchServer, count: number): Promise<void> {
  await clientsOf(server).events.recordEvents(batches(count, event, (events) => ({ appId: APP, events })));
}

const REQUESTS = {
  "POST /trace": {
    path: "/trace",
    type: "application/x-www-form-urlencoded",
    body: (n: number) =>
      `app_id=${APP}&action_type=product_view&product_ids=${10_000 + (n % PRODUCTS)}&c_id=client-${n % 1000}`,
  },
  "POST /recommend": {
    path: "/recommend",
    type: "application/json",
    body: (n: number) =>
      JSON.stringify({
        appId: APP,
        productInteractions: [],
        currentProductIds: String(10_000 + (n % PRODUCTS)),
        cId: `client-${n % 1000}`,
      }),
  },
} as const;

/** Makes the calls, after as many that are not counted; shows how many were made a second and the CPU of each. */
async function load(label: string, url: string, processes: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, { path, type, body }] of Object.entries(REQUESTS)) {
    const run = (from: number) =>
      postAll(
        url + path,
        type,
        Array.from({ length: CALLS }, (_, n) => body(from + n)),
        CALLERS,
      );
    const cpu = () => Promise.all(Object.values(processes).map(async (pid) => (await processFigures(pid)).cpuMs));
    await run(0);
    const before = await cpu();
    const begunAt = performance.now();
    await run(CALLS);
    const perSecond = (CALLS / (performance.now() - begunAt)) * 1000;
    const after = await cpu();
    const each = Object.keys(processes).map((role, at) => {
      const ms = (after[at] ?? 0) - (before[at] ?? 0);
      return `${role} ${((ms * 1000) / CALLS).toFixed(0)} µs`;
    });
    console.log(`${label}, ${name}: ${perSecond.toFixed(0)}/s, CPU a call: ${each.join(", ")}`);
  }
}

async function embedded(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "aisle-sizing-"));
  try {
    const server = await startServer(directory);
    const size = () => statSync(join(directory, "data.mdb")).size;
    await fillProducts(server);
    const before = size();
    await fillEvents(server, EVENTS);
    console.log(
      `embedded: ${before} bytes with ${PRODUCTS} products, ${size()} with ${EVENTS} events of ${EVENTS / 5} visitors as well`,
    );
    console.log(
      `embedded: ${Math.round(before / PRODUCTS)} bytes a product, ${Math.round((size() - before) / EVENTS)} an event with all it brings`,
    );
    const started = performance.now();
    await trained(transportTo(server), APP);
    const [model] = (await clientsOf(server).models.listModels({ appId: APP })).models;
    console.log(
      `training: ${((performance.now() - started) / 1000).toFixed(1)} s, snapshot of ${(Number(model?.sizeBytes ?? 0) / 1e6).toFixed(1)} MB`,
    );
    await server.stop();
    const fresh = await startServer(directory);
    const memory = async () => ((await processFigures(fresh.pid)).ownBytes / 2 ** 20).toFixed(0);
    const idle = await memory();
    const { recommendations } = clientsOf(fresh);
    for (let n = 0; n < 50; n++)
      await recommendations.recommend({ appId: APP, currentProductIds: [String(10_000 + n)] });
    console.log(
      `memory: ${idle} MB when started, ${await memory()} MB with the model and the catalogue of ${PRODUCTS} products`,
    );
    await load("one process", fresh.facadeUrl, { process: fresh.pid });
    await fresh.stop();
    const services = await startServer(directory, "--role", "services");
    const facade = await startServer(directory, "--role", "facade", "--rpc-url", services.rpcUrl);
    await load("facade and services", facade.facadeUrl, { facade: facade.pid, services: services.pid });
    await facade.stop();
    await services.stop();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The calls, documents of each kind and what they weigh, with a tenth of the events. */
async function mongo(): Promise<void> {
  const peer = await openMongoPeer();
  const url = peer.url("aisle_sizing");
  const client = new MongoClient(url);
  try {
    // Whole seconds are no refusal here: the database of the tests is in one process, and may be slow.
    const server = await startServerOn(url, "--answer-ms", "10000");
    await fillProducts(server);
    await fillEvents(server, EVENTS / 10);
    await load(`one process on ${peer.name}`, server.facadeUrl, { process: server.pid });
    await server.stop();
    const sizes = new Map<string, { documents: number; bytes: number }>();
    for await (const document of client.db().collection("records").find()) {
      const kind = String(document.kind);
      const { documents, bytes } = sizes.get(kind) ?? { documents: 0, bytes: 0 };
      sizes.set(kind, { documents: documents + 1, bytes: bytes + BSON.calculateObjectSize(document) });
    }
    for (const [kind, { documents, bytes }] of sizes)
      console.log(`${peer.name}, ${kind}: ${documents} documents of ${Math.round(bytes / documents)} bytes`);
  } finally {
    await client.close();
    await peer.drop("aisle_sizing");
    await peer.stop();
  }
}

await embedded();
await mongo();
