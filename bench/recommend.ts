/**
 * POST /recommend of a shop with a trained model, beside an empty answer of fastify to the same bodies.
 *
 *   npm run bench -- recommend [--products 50000] [--events 300000] [--seconds 5] [--passes 3] [--json FILE]
 *
 * The shop is made up (bench/train/shop.ts), imported over RPC and trained, then asked with histories of 20 interactions
 * (2.6 KB) and of 600 (75 KB), of visitors the server does not know. Servers are on one processor and the load on another;
 * passes of a closed loop alternate, CPU is that of the server's process for each 200. Scoring is the recommend stage
 * alone, in this process, over the same model, with histories it meets for the first time (and with the same ones again,
 * when what was found for a product is still known). All but scoring is what a request needs where there is no model, less
 * what the stage needs there: reading, checking, services, cards and the answer. Then, in an open loop at half of what
 * Aisle answered with 20 interactions, the latency from the time each request was due.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Table from "cli-table3";
import { hnswIndexes } from "../src/adapters/hnsw/vector-indexes.js";
import { createCatalogViews } from "../src/catalog/catalog-view.js";
import { bareApp } from "../src/domain/app.js";
import { DEFAULT_FRAME } from "../src/domain/frame.js";
import { loadServingModel } from "../src/learning/model/serving-model.js";
import type { ServingModel } from "../src/learning/model/source.js";
import { BLANK_QUERY, type RecommendQuery } from "../src/recommend/query.js";
import { createRecommender } from "../src/recommend/recommend.js";
import { openStore } from "../src/server/open-store.js";
import { startEmptyServer } from "./empty-server.js";
import { machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import { processFigures } from "./process-figures.js";
import { startPinnedServer } from "./server.js";
import { fillShop } from "./train/fill-shop.js";
import { END, shopHistories } from "./train/shop.js";

const APP = "shop";
/** The same catalogue without a model. */
const UNTRAINED = "untrained";
const CONNECTIONS = 32;
const LENGTHS = [20, 600] as const;
/** Different bodies of each length: of 20 so many that most ask about a product that was not asked about lately. */
const BODIES = { 20: 30_000, 600: 1000 } as const;
/** Histories the stage is asked for alone, behind so many that code is compiled for: a server has met more. */
const STAGE_CALLS = 800;
const STAGE_WARM_CALLS = { 20: 3000, 600: 200 } as const;
const WARM_SECONDS = 8;
const OPEN_WARM_SECONDS = 3;

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "50000" },
    events: { type: "string", default: "300000" },
    seconds: { type: "string", default: "5" },
    passes: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const productCount = Number(values.products);
const eventCount = Number(values.events);
const seconds = Number(values.seconds);

type Length = (typeof LENGTHS)[number];
type History = RecommendQuery["interactions"];

/** Histories of so many steps, of one visitor after the other. */
async function historiesOf(length: Length): Promise<History[]> {
  const found: History[] = [];
  let steps: History[number][] = [];
  for await (const batch of shopHistories(BODIES[length] * length, productCount)) {
    for (const { type, at, productIds } of batch.flatMap(({ interactions }) => interactions)) {
      steps.push({ type, productId: productIds[0] ?? "", sku: "", at });
      if (steps.length < length) continue;
      found.push(steps);
      steps = [];
    }
  }
  return found;
}

function bodyOf(appId: string, history: History, n: number): string {
  return JSON.stringify({
    appId,
    productInteractions: history.map(({ type, productId, at }) => ({
      productInteractionType: type,
      productId,
      productSku: productId,
      utcInteractionDate: new Date(at).toISOString(),
    })),
    currentProductIds: history.at(-1)?.productId,
    cId: `unknown-${n}`,
  });
}

/** CPU of the recommend stage, µs. */
interface Scored {
  /** Of histories it meets for the first time, and of the same ones again. */
  readonly first: number;
  readonly again: number;
  /** Without a model. */
  readonly untrained: number;
}

async function scoring(directory: string, histories: ReadonlyMap<Length, readonly History[]>) {
  const store = await openStore({ kind: "embedded", directory }, { now: Date.now, readOnly: true });
  try {
    const pointer = await store.models.pointer(APP);
    const bytes = pointer && (await store.models.read(APP, pointer.modelId));
    if (bytes === undefined) throw new Error("there is no model");
    const trained = loadServingModel("", bytes, hnswIndexes());
    const scan = (appId: string) => store.products.scan(appId);
    const catalog = await createCatalogViews({ scan, watch: () => () => {} }, Date.now).of(APP);
    const recommend = createRecommender({ metrics: { count() {}, observe() {} }, reportFailure() {} });
    const app = bareApp(APP, 0);
    const timed = (all: readonly History[], model: ServingModel | undefined) => {
      const from = process.cpuUsage();
      for (const interactions of all) {
        const query = { ...BLANK_QUERY, interactions, currentProductIds: [interactions.at(-1)?.productId ?? ""] };
        const situation = { query, frame: DEFAULT_FRAME, known: [], catalog, model, filters: [], app, version: "" };
        recommend({ ...situation, now: END }, false);
      }
      const { user, system } = process.cpuUsage(from);
      return (user + system) / all.length;
    };
    const found = new Map<Length, Scored>();
    for (const [length, all] of histories) {
      const warmCalls = STAGE_WARM_CALLS[length];
      const warm = all.slice(0, warmCalls);
      const asked = all.slice(warmCalls, warmCalls + STAGE_CALLS);
      for (const model of [trained, undefined]) timed(warm, model);
      const [first, again] = [timed(asked, trained), timed(asked, trained)];
      timed(asked, undefined); // its code is compiled once more where no model is met any longer
      const untrained = timed(asked, undefined);
      found.set(length, { first, again, untrained });
    }
    return found;
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly name: string;
  readonly length: Length;
  readonly url: string;
  readonly pid: number;
  readonly bodies: readonly string[];
}

interface Figures {
  readonly name: string;
  readonly length: Length;
  readonly cpuMicros: number;
  readonly okPerSecond: number;
  readonly failed: number;
  readonly scoringMicros?: number;
  readonly scoringAgainMicros?: number;
  /** CPU of all but scoring, and what that is of the reference's. */
  readonly rest?: number;
  readonly ratio?: number;
}

const TRAINED = "POST /recommend";
const JSON_TYPE = "application/json";

async function pass({ url, pid, bodies }: Asked, forSeconds: number) {
  const before = await processFigures(pid);
  const plan = { url, bodies, contentType: JSON_TYPE, connections: CONNECTIONS, seconds: forSeconds };
  const report = await load(plan, LOAD_CPU);
  const after = await processFigures(pid);
  const ok = report.statuses["200"] ?? 0;
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  return {
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, ok),
    okPerSecond: report.okPerSecond,
    failed: answers - ok + report.lost + report.timeouts,
  };
}

const medianOf = <T>(all: readonly T[], of: (one: T) => number): T => {
  const median = [...all].sort((a, b) => of(a) - of(b))[Math.floor(all.length / 2)];
  if (median === undefined) throw new Error("there was no pass");
  return median;
};

console.log(JSON.stringify({ ...machine(), ...values }));
const directory = await mkdtemp(join(tmpdir(), "aisle-recommend-"));
const server = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, "--log-level", "warn");
const empty = await startEmptyServer();
try {
  await fillShop(server.rpcUrl, { appId: APP, products: productCount, events: eventCount, isTrained: true });
  await fillShop(server.rpcUrl, { appId: UNTRAINED, products: productCount, events: 0, isTrained: false });
  const histories = new Map(
    await Promise.all(LENGTHS.map(async (length) => [length, await historiesOf(length)] as const)),
  );
  const scored = await scoring(directory, histories);
  const asked = LENGTHS.flatMap((length): Asked[] => {
    const bodiesOf = (appId: string) => (histories.get(length) ?? []).map((history, n) => bodyOf(appId, history, n));
    const ours = { length, url: `${server.facadeUrl}/recommend`, pid: server.pid };
    const bodies = bodiesOf(APP);
    return [
      { name: "fastify, empty JSON", length, url: `${empty.url}/recommend`, pid: empty.pid, bodies },
      { name: TRAINED, ...ours, bodies },
      { name: "without a model", ...ours, bodies: bodiesOf(UNTRAINED) },
    ];
  });
  for (const one of asked) await pass(one, WARM_SECONDS);
  const passes = asked.map((): Awaited<ReturnType<typeof pass>>[] => []);
  for (let n = 0; n < Number(values.passes); n++)
    for (const [at, one] of asked.entries()) passes[at]?.push(await pass(one, seconds));
  const rows = passes.map((all) => medianOf(all, ({ cpuMicros }) => cpuMicros));

  const table = new Table({
    style: { head: [], border: [] },
    head: ["interactions", "", "CPU µs", "scoring", "again", "all but scoring", "to fastify", "a second", "failed"],
    colAligns: ["right", "left", ...Array.from({ length: 7 }, () => "right" as const)],
  });
  const figures = asked.map(({ name, length }, at): Figures => {
    const { cpuMicros = Number.NaN, okPerSecond = 0, failed = 0 } = rows[at] ?? {};
    const scores = scored.get(length);
    const reference = rows[asked.findIndex((one) => one.length === length)]?.cpuMicros ?? Number.NaN;
    const found = { name, length, cpuMicros, okPerSecond, failed };
    if (at % 3 === 0 || scores === undefined) return found;
    if (name === TRAINED) return { ...found, scoringMicros: scores.first, scoringAgainMicros: scores.again };
    const rest = cpuMicros - scores.untrained;
    return { ...found, scoringMicros: scores.untrained, rest, ratio: rest / reference };
  });
  for (const { name, length, okPerSecond, failed, cpuMicros, ...more } of figures) {
    const { scoringMicros, scoringAgainMicros, rest, ratio } = more;
    const micros = [cpuMicros, scoringMicros, scoringAgainMicros, rest].map((value) => value?.toFixed(0) ?? "");
    const perSecond = Math.round(okPerSecond).toLocaleString("en");
    table.push([length, name, ...micros, ratio?.toFixed(2) ?? "", perSecond, failed]);
  }
  console.log(table.toString());

  const ours = asked[1];
  // What this process holds is collected now, and not by threads of it beside the server.
  histories.clear();
  asked.length = 0;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const rate = (rows[1]?.okPerSecond ?? 0) / 2;
  if (ours === undefined) throw new Error("nothing was asked");
  const open: Awaited<ReturnType<typeof load>>[] = [];
  const plan = { contentType: JSON_TYPE, connections: 512, rate, seconds, warmSeconds: OPEN_WARM_SECONDS };
  for (let n = 0; n < Number(values.passes); n++)
    open.push(await load({ ...plan, url: ours.url, bodies: ours.bodies }, LOAD_CPU));
  const { ok } = medianOf(open, (report) => report.ok.p99);
  const passed = open.map((report) => report.ok.p99.toFixed(2)).join(", ");
  console.log(
    `open loop, 20 interactions, ${Math.round(rate)} a second, ms: p50 ${ok.p50.toFixed(2)}, p99 ${ok.p99.toFixed(2)} (passes ${passed}), p99.9 ${ok.p999.toFixed(2)}`,
  );
  if (values.json !== undefined) {
    const all = { machine: machine(), products: productCount, events: eventCount, figures, rate, open };
    await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  }
} finally {
  empty.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
