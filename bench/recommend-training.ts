/**
 * How fast products are recommended, and what a training costs those who ask meanwhile.
 *
 *   npm run bench -- recommend-training [--data DIR] [--limit SESSIONS] [--seconds 20] [--rate 50] [--json FILE]
 *
 * DIR holds a train.csv.gz of sessions (session, item and ts or position; diginetica when not given). They are imported
 * into a server of its own by the command line, which then trains, twice. Three things are measured in one run:
 *
 *   stage     the recommend stage alone, in this process, over the model trained: 200 interactions of each type
 *   requests  POST /recommend at a steady rate, without and with a training, timed from when each was due
 *   training  how long it took, and the most memory the server's process had
 */
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { parse } from "csv-parse";
import { hnswIndexes } from "../src/adapters/hnsw/vector-indexes.js";
import { createCatalogViews } from "../src/catalog/catalog-view.js";
import { bareApp } from "../src/domain/app.js";
import { DEFAULT_FRAME } from "../src/domain/frame.js";
import type { InteractionType } from "../src/domain/interaction.js";
import { createRandom } from "../src/learning/common/random.js";
import { loadServingModel } from "../src/learning/model/serving-model.js";
import { BLANK_QUERY, type RecommendQuery } from "../src/recommend/query.js";
import { createRecommender } from "../src/recommend/recommend.js";
import { openStore } from "../src/server/open-store.js";
import { sharedData } from "../test/fixtures/shared-data.js";
import { aisle, type BenchServer, startServer } from "./server.js";
import { trained } from "./trained.js";

const APP = "bench";
const PER_TYPE = 200;
const STAGE_CALLS = 2_000;
const TYPES = ["product_view", "add_to_cart", "order"] as const satisfies readonly InteractionType[];
const HOUR_MS = 3600_000;
const BEGIN = Date.UTC(2025, 0, 1);

interface Step {
  readonly session: number;
  readonly item: string;
  readonly at: number;
}

async function* stepsOf(file: string, limit: number): AsyncGenerator<Step> {
  const sessions = new Set<string>();
  const rows: AsyncIterable<Record<string, string>> = createReadStream(file)
    .pipe(createGunzip())
    .pipe(parse({ columns: true }));
  for await (const { session = "", item = "", ts, position } of rows) {
    sessions.add(session);
    if (sessions.size > limit) return;
    const at = ts === undefined ? BEGIN + Number(session) * 60_000 + Number(position) * 1000 : Number(ts) * 1000;
    yield { session: Number(session), item, at: Math.round(at) };
  }
}

/** Writes what the command line imports; tells the products in the order they were met. */
async function writeEvents(from: string, to: string, limit: number): Promise<string[]> {
  const met: string[] = [];
  async function* lines() {
    yield "visitor,type,product_id,timestamp\n";
    for await (const { session, item, at } of stepsOf(from, limit)) {
      met.push(item);
      yield `s${session},product_view,${item},${new Date(at).toISOString()}\n`;
    }
  }
  await pipeline(lines, createWriteStream(to));
  return met;
}

interface Times {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

function timesOf(taken: readonly number[]): Times {
  const sorted = Float64Array.from(taken).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { calls: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) };
}

/** A visitor's history: what others met one after the other, a step an hour, in turns viewed, put in a cart, ordered. */
function history(met: readonly string[], from: number, perType: number, now: number) {
  const steps = perType * TYPES.length;
  return Array.from({ length: steps }, (_, n) => ({
    type: TYPES[n % TYPES.length]!,
    productId: met[(from + n) % met.length]!,
    at: now - (steps - n) * HOUR_MS,
  }));
}

/** The stage alone, asked by visitors with long histories; calls of the first tenth are not counted. */
async function stage(directory: string, met: readonly string[]): Promise<{ stage: Times; loadMs: number }> {
  const store = await openStore({ kind: "embedded", directory }, { now: Date.now, readOnly: true });
  try {
    const pointer = await store.models.pointer(APP);
    const bytes = pointer && (await store.models.read(APP, pointer.modelId));
    if (bytes === undefined) throw new Error("there is no model");
    const started = performance.now();
    const model = loadServingModel("", bytes, hnswIndexes());
    const loadMs = performance.now() - started;
    const catalog = await createCatalogViews(
      {
        scan: (appId) => store.products.scan(appId),
        watch: () => () => {},
      },
      Date.now,
    ).of(APP);
    const recommend = createRecommender({ metrics: { count() {}, observe() {} }, reportFailure() {} });
    const random = createRandom(1);
    const taken: number[] = [];
    for (let call = 0; call < STAGE_CALLS; call++) {
      const now = BEGIN + call;
      const from = Math.floor(random() * met.length);
      const query: RecommendQuery = {
        ...BLANK_QUERY,
        interactions: history(met, from, PER_TYPE, now).map((step) => ({ ...step, sku: "" })),
        currentProductIds: [met[(from + PER_TYPE * TYPES.length) % met.length]!],
      };
      const begun = performance.now();
      recommend(
        { query, frame: DEFAULT_FRAME, known: [], catalog, model, filters: [], app: bareApp(APP, 0), version: "", now },
        false,
      );
      if (call >= STAGE_CALLS / 10) taken.push(performance.now() - begun);
    }
    return { stage: timesOf(taken), loadMs };
  } finally {
    await store.close();
  }
}

/** Asks at a steady rate until `until` is settled; a request that is late because others are counts from when it was due. */
async function load(url: string, met: readonly string[], perSecond: number, until: Promise<unknown>): Promise<Times> {
  const agent = new Agent({ keepAlive: true });
  const taken: number[] = [];
  const asked: Promise<void>[] = [];
  let over = false;
  const stop = () => {
    over = true;
  };
  until.then(stop, stop);
  const started = performance.now();
  for (let n = 0; !over; n++) {
    const due = started + (n * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    asked.push(post(agent, url, bodyOf(met, n)).then(() => void taken.push(performance.now() - due)));
  }
  await Promise.all(asked);
  agent.destroy();
  return timesOf(taken);
}

function bodyOf(met: readonly string[], n: number): string {
  const from = (n * 7919) % met.length;
  return JSON.stringify({
    appId: APP,
    productInteractions: history(met, from, 5, Date.now()).map(({ type, productId, at }) => ({
      productInteractionType: type,
      productId,
      productSku: productId,
      utcInteractionDate: new Date(at).toISOString(),
    })),
    currentProductIds: met[(from + 15) % met.length],
  });
}

function post(agent: Agent, url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const asked = request(`${url}/recommend`, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      answer.once("end", () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`POST /recommend answered ${answer.statusCode}`)),
      );
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

/** A figure of a process in MB, as Linux tells it. */
function memory(pid: number, name: "VmHWM" | "VmRSS"): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? Number.NaN) / 1024);
}

async function train({ rpcUrl }: BenchServer): Promise<number> {
  const transport = createGrpcTransport({ baseUrl: rpcUrl, defaultTimeoutMs: HOUR_MS });
  const started = performance.now();
  await trained(transport, APP);
  return (performance.now() - started) / 1000;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    limit: { type: "string", default: "Infinity" },
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "50" },
    json: { type: "string" },
  },
});
const data = values.data ?? sharedData("behaviour", "diginetica");
if (data === undefined) throw new Error("--data names a folder with a train.csv.gz");
const directory = await mkdtemp(join(tmpdir(), "aisle-recommend-"));
const storeDirectory = join(directory, "store");
const server = await startServer(storeDirectory);
try {
  const events = join(directory, "train.csv");
  const met = await writeEvents(join(data, "train.csv.gz"), events, Number(values.limit));
  await aisle(server, "app", "create", APP);
  await aisle(server, "import", "events", events, "--app", APP);
  const before = memory(server.pid, "VmRSS");
  const firstSeconds = await train(server);
  const ofStage = await stage(storeDirectory, met);
  const rate = Number(values.rate);
  const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
  await load(server.facadeUrl, met, rate, seconds(3));
  const quiet = await load(server.facadeUrl, met, rate, seconds(Number(values.seconds)));
  const training = train(server);
  const during = await load(server.facadeUrl, met, rate, training);
  const report = {
    products: new Set(met).size,
    views: met.length,
    ...ofStage,
    requests: { perSecond: rate, quiet, during, p99Ratio: during.p99Ms / quiet.p99Ms },
    training: {
      seconds: firstSeconds,
      secondsUnderLoad: await training,
      memoryBeforeMB: before,
      mostMemoryMB: memory(server.pid, "VmHWM"),
    },
    machine: {
      cores: cpus().length,
      model: cpus()[0]?.model,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
  };
  console.log(JSON.stringify(report, undefined, 2));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report)}\n`);
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
