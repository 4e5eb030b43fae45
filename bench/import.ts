/**
 * Bulk intake: an hour of a large shop's events through RecordEvents into the embedded store.
 *
 *   npm run bench -- import [--events 10000000] [--visitors EVENTS/10] [--products 50000] [--batch 500] [--json FILE]
 *                           [--part 1000000] [--other DIR]
 *
 * One stream for each million events, over gRPC, to a server in a process of its own; meanwhile POST /trace is asked ten
 * times a second. For each million: events a second, CPU of the server for an event (all of its threads), growth of the
 * store's file for an event, memory, latency of POST /trace. At the end: bytes an event of the whole and of a compacting
 * copy, and the rate of the last million to that of the first. `--part` takes another number than a million. `--other`
 * names another checkout with its `dist`, whose server imports the same parts in turns; then the ratio of CPU stands beside.
 * (CPU comes from /proc: Linux.)
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Event } from "../src/gen/aisle/v1/event_pb.js";
import { EventService } from "../src/gen/aisle/v1/event_service_pb.js";
import { backupStore } from "../src/store/lmdb/backup.js";
import { keep, machine } from "./load.js";
import { quantile } from "./passes.js";
import { processFigures } from "./process-figures.js";
import { aisleOf, BIN, startBuild } from "./server.js";
import { createShopEvents } from "./shop-events.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000000" },
    visitors: { type: "string" },
    products: { type: "string", default: "50000" },
    batch: { type: "string", default: "500" },
    part: { type: "string", default: "1000000" },
    other: { type: "string" },
    json: { type: "string" },
  },
});
const EVENTS = Number(values.events);
const APP = "shop";
const BATCH = Number(values.batch);
const PART = Math.min(EVENTS, Number(values.part));
const eventOf = createShopEvents({
  visitors: Number(values.visitors ?? EVENTS / 10),
  products: Number(values.products),
  events: EVENTS,
});

async function* batchesOf(from: number, to: number) {
  let events: Event[] = [];
  for (let n = from; n < to; n++) {
    events.push(eventOf(n));
    if (events.length < BATCH && n < to - 1) continue;
    yield { appId: APP, events };
    events = [];
  }
}

/** Threads of V8 in Node: the one that runs JavaScript, the delayed tasks' one, four that help to collect garbage. */
const V8_THREADS = 6;

/** CPU of a process's threads so far, in ms: the one that runs JavaScript, V8's helpers, and those LMDB writes with. */
function threadTimes(pid: number): Record<"javaScript" | "garbage" | "lmdb", number> {
  const times = { javaScript: 0, garbage: 0, lmdb: 0 };
  const tasks = readdirSync(`/proc/${pid}/task`).sort((a, b) => Number(a) - Number(b));
  for (const [at, task] of tasks.entries()) {
    const ns = Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    times[at === 0 ? "javaScript" : at < V8_THREADS ? "garbage" : "lmdb"] += ns / 1e6;
  }
  return times;
}

const total = ({ javaScript, garbage, lmdb }: ReturnType<typeof threadTimes>) => javaScript + garbage + lmdb;

const directory = await mkdtemp(join(tmpdir(), "aisle-import-"));
const storeDirectory = join(directory, "store");
const fileBytes = (store = storeDirectory) => statSync(join(store, "data.mdb")).size;
console.log(JSON.stringify({ ...machine(), ...values }));

interface Part {
  readonly events: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
  /** Of these, what each kind of thread took. */
  readonly threads: Record<keyof ReturnType<typeof threadTimes>, number>;
  readonly bytesAnEvent: number;
  readonly memoryMib: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A server over a new store, and how it takes a part of the events. */
async function startImporting(bin: string, store: string) {
  const server = await startBuild(bin, undefined, `embedded:${store}`, "--log-level", "warn");
  const latencies: number[] = [];
  await aisleOf(bin)(server, "app", "create", APP);
  const form = new URLSearchParams({ app_id: APP, action_type: "product_view", product_ids: "1", c_id: "asked" });
  const ask = async () => {
    const start = performance.now();
    const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: form });
    await answer.arrayBuffer();
    if (answer.status !== 200) console.error(`POST /trace answered ${answer.status}`);
    latencies.push(performance.now() - start);
  };
  const client = createClient(EventService, createGrpcTransport({ baseUrl: server.rpcUrl }));
  const importPart = async (from: number, to: number): Promise<Part> => {
    const asking = setInterval(() => void ask(), 100);
    const bytes = fileBytes(store);
    const before = threadTimes(server.pid);
    const start = performance.now();
    const answer = await client.recordEvents(batchesOf(from, to)).finally(() => clearInterval(asking));
    const ms = performance.now() - start;
    if (Number(answer.accepted) !== to - from) throw new Error(`${answer.accepted} of ${to - from} were accepted`);
    const after = threadTimes(server.pid);
    const micros = (ms: number) => Number(((ms * 1000) / (to - from)).toFixed(2));
    const part = {
      events: to,
      perSecond: Math.round((to - from) / (ms / 1000)),
      cpuMicros: micros(total(after) - total(before)),
      threads: {
        javaScript: micros(after.javaScript - before.javaScript),
        garbage: micros(after.garbage - before.garbage),
        lmdb: micros(after.lmdb - before.lmdb),
      },
      bytesAnEvent: (fileBytes(store) - bytes) / (to - from),
      memoryMib: (await processFigures(server.pid)).ownBytes / 2 ** 20,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
    };
    latencies.length = 0;
    return part;
  };
  return { importPart, stop: () => server.stop() };
}

async function overRpc(): Promise<Part[]> {
  const own = await startImporting(BIN, storeDirectory);
  const other =
    values.other === undefined
      ? undefined
      : await startImporting(join(values.other, "bin/aisle.js"), join(directory, "other"));
  const parts: Part[] = [];
  try {
    for (let from = 0; from < EVENTS; from += PART) {
      const to = Math.min(from + PART, EVENTS);
      const before = await other?.importPart(from, to);
      const part = await own.importPart(from, to);
      parts.push(part);
      const beside = before && { other: before, ratio: Number((part.cpuMicros / before.cpuMicros).toFixed(3)) };
      console.log(JSON.stringify({ ...part, ...beside }));
    }
  } finally {
    await Promise.all([own.stop(), other?.stop()]);
  }
  return parts;
}

try {
  const parts = await overRpc();
  const bytes = fileBytes();
  await backupStore(storeDirectory, join(directory, "copy"));
  const copied = statSync(join(directory, "copy", "data.mdb")).size;
  const summary = {
    bytesAnEvent: Math.round(bytes / EVENTS),
    compactBytesAnEvent: Math.round(copied / EVENTS),
    lastToFirst: (parts.at(-1)?.perSecond ?? 0) / (parts[0]?.perSecond ?? 1),
  };
  console.log(JSON.stringify(summary));
  await keep(values.json, { parts, summary });
} finally {
  await rm(directory, { recursive: true, force: true });
}
