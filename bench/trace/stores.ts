/**
 * Events a second through intake on a store, beside plain writes of the same events in the same run. For each number of
 * callers, one after the other:
 *
 *   plain         the event alone, written with lmdb (put, resolved when synced) or with the driver (insertMany of all
 *                 that came while the one before was under way, w: majority, j: true)
 *   RecordEvent   the call of the services in this process: the event with all its effects, durable when it answers
 *   POST /trace   the form a shop sends, over HTTP to a server in a process of its own, on kept-alive connections
 *
 * MongoDB is what the tests use (MONGODB_TEST_URL, else the replica set of the tests). Server, store and the callers share
 * the machine, so ratios to the plain row of the same callers say more than absolute numbers.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { open } from "lmdb";
import { MongoClient } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { createPrometheusMetrics } from "../../src/adapters/metrics/prometheus.js";
import { evaluateApp } from "../../src/learning/evaluation/evaluate-app.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { createAisle } from "../../src/server/app.js";
import { eventMessage } from "../../src/services/event-messages.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { Store } from "../../src/store/ports/store.js";
import { openMongoPeer } from "../../test/fixtures/mongo-peer.js";
import { gatheredInserts, type Measured, measure, viewEvent } from "../load.js";
import { aisle, startServerOn } from "../server.js";

const VISITORS = 2000;
const APP = "shop";
/** Longer than any call here takes: what is measured is how long it takes. */
const PATIENT_MS = 60_000;

export interface StoreRow extends Measured {
  readonly store: string;
  readonly callers: number;
  readonly what: string;
  /** To the plain row of the same store and callers. */
  readonly ratio: number;
}

/** What is measured of one store. `close` ends what was opened. */
interface Side {
  readonly store: string;
  readonly plain: (n: number) => Promise<unknown>;
  readonly opened: Store;
  /** The address for a server of its own. */
  readonly address: string;
  close(): Promise<void>;
}

async function embeddedSide(): Promise<Side> {
  const directory = await mkdtemp(join(tmpdir(), "aisle-trace-"));
  const plain = open<Uint8Array, string>(join(directory, "plain"), { encoding: "binary", overlappingSync: false });
  const opened = await openEmbeddedStore({ directory: join(directory, "store"), now: Date.now });
  return {
    store: "embedded",
    plain: (n) => plain.put(`${APP}-${n}`, Buffer.from(JSON.stringify(viewEvent(n, VISITORS)))),
    opened,
    address: `embedded:${join(directory, "served")}`,
    async close() {
      await Promise.all([plain.close(), opened.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function mongoSide(): Promise<Side | undefined> {
  const peer = await openMongoPeer();
  if (peer === undefined) return undefined;
  const name = (of: string) => `aisle_trace_${of}_${process.pid}`;
  const client = new MongoClient(peer.url(name("plain")));
  const insert = gatheredInserts(client, name("plain"), "events");
  const opened = await openMongoStore({
    url: peer.url(name("store")),
    now: Date.now,
    limits: { answerMs: PATIENT_MS },
  });
  return {
    store: peer.name,
    plain: (n) => insert({ _id: `${APP}\0${n}`, app: APP, rev: 1, v: viewEvent(n, VISITORS) }),
    opened,
    address: peer.url(name("served")),
    async close() {
      await Promise.all([client.close(), opened.close()]);
      for (const of of ["plain", "store", "served"]) await peer.drop(name(of));
      await peer.stop();
    },
  };
}

/** The services over a store, in this process. */
function servicesOver(store: Store) {
  const vectorIndexes = hnswIndexes();
  return createAisle({
    store,
    vectorIndexes,
    runTraining: (appId, onProgress) => trainModel({ ...store, appId, vectorIndexes, onProgress }),
    runEvaluation: (query, onProgress) => evaluateApp({ ...store, ...query, vectorIndexes, onProgress }),
    now: Date.now,
    monotonicNow: () => performance.now(),
    newId: uuidv7,
    newAppId: uuidv7,
    newSecret: () => "5e".repeat(16),
    metrics: createPrometheusMetrics(),
    report: (error) => console.error(error),
    reportFailure: () => undefined,
  });
}

function formOf(n: number): string {
  const { visitor, products, platform, extraFields } = viewEvent(n, VISITORS);
  const [product] = products;
  return new URLSearchParams({
    app_id: APP,
    action_type: "product_view",
    c_id: visitor.clientId,
    product_ids: product?.productId ?? "",
    product_skus: product?.sku ?? "",
    product_titles: product?.title ?? "",
    product_urls: product?.url ?? "",
    product_images: product?.imageUrl ?? "",
    product_category_ids: product?.categories.map(({ categoryId }) => categoryId).join("~") ?? "",
    platform,
    ...extraFields,
  }).toString();
}

/** Sends one form; rejects when the answer is not 200. */
function poster(url: string, agent: Agent): (body: string) => Promise<void> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return (body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/trace`, { method: "POST", agent, headers }, (answer) => {
        answer.resume();
        answer.once("end", () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`POST /trace answered ${answer.statusCode}`)),
        );
        answer.once("error", reject);
      });
      sent.once("error", reject);
      sent.end(body);
    });
}

async function measureSide(side: Side, callerCounts: readonly number[], seconds: number): Promise<StoreRow[]> {
  const rows: StoreRow[] = [];
  const services = servicesOver(side.opened);
  const server = await startServerOn(side.address, "--log-level", "silent");
  const agent = new Agent({ keepAlive: true });
  try {
    await services.clients.apps.createApp({ app: { appId: APP } });
    await aisle(server, "app", "create", APP);
    const record = (n: number) => {
      const event = eventMessage(viewEvent(n, VISITORS));
      return services.clients.events.recordEvent({ appId: APP, event });
    };
    const post = poster(server.facadeUrl, agent);
    let next = 0;
    const calls: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
      plain: side.plain,
      RecordEvent: record,
      "POST /trace": (n) => post(formOf(n)),
    };
    for (const call of Object.values(calls)) await measure(0.5, 16, () => call(next++)); // so that all is compiled
    for (const callers of callerCounts) {
      let plain = 0;
      for (const [what, call] of Object.entries(calls)) {
        const measured = await measure(seconds, callers, () => call(next++));
        if (what === "plain") plain = measured.perSecond;
        rows.push({ store: side.store, callers, what, ratio: measured.perSecond / plain, ...measured });
      }
    }
  } finally {
    agent.destroy();
    services.close();
    await server.stop();
    await side.close();
  }
  return rows;
}

/** The stores that can be measured, by the name that chooses them. */
export const STORES = { embedded: embeddedSide, mongo: mongoSide } as const;

/** Measures a store; nothing when there is none of its kind here. */
export async function measureStore(
  name: keyof typeof STORES,
  callerCounts: readonly number[],
  seconds: number,
): Promise<StoreRow[]> {
  const side = await STORES[name]();
  return side === undefined ? [] : measureSide(side, callerCounts, seconds);
}

export function storeTable(rows: readonly StoreRow[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: ["store", "callers", "", "a second", "of plain", "p50 ms", "p99 ms", "failed"],
    colAligns: ["left", "right", "left", "right", "right", "right", "right", "right"],
  });
  for (const { store, callers, what, perSecond, ratio, p50Ms, p99Ms, failed } of rows) {
    const figures = [Math.round(perSecond).toLocaleString("en"), ratio.toFixed(2), p50Ms.toFixed(1), p99Ms.toFixed(1)];
    table.push([store, callers, what, ...figures, failed]);
  }
  return table.toString();
}
