/**
 * A server under mixed load for long, which trains again and again: whether it grows, slows down or loses anything.
 *
 *   npm run bench -- soak [--minutes 30] [--round 120] [--trace 200] [--recommend 50] [--status 100] [--json FILE]
 *
 * POST /trace, POST /recommend and GET /subscription_status come at their rates a second, due at their times whatever is
 * answered, from a process each. A training begins with each round of so many seconds. For each round: latencies, the
 * server's CPU, the training, its memory without mapped files, of that what JavaScript uses, uncollected garbage with it,
 * and the longest time its event loop was late. Memory and latency of
 * the last third of the rounds are compared with those of the first third; the first round is left out, in which
 * code is compiled. Then every id of a 200 is looked for in the store.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Table from "cli-table3";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { machine, viewForms } from "./load.js";
import { missingIds } from "./missing-ids.js";
import { load } from "./open-loop/load.js";
import type { LoadReport } from "./open-loop/plan.js";
import { processFigures } from "./process-figures.js";
import { type BenchServer, startServer } from "./server.js";
import { trained } from "./trained.js";

const APP = "shop";
const PRODUCTS = 500;
const VISITORS = 2000;
/** Different forms, bodies and queries; each visitor views several products. */
const DIFFERENT = 20_000;
const CONNECTIONS = 128;
const MIB = 2 ** 20;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    round: { type: "string", default: "120" },
    trace: { type: "string", default: "200" },
    recommend: { type: "string", default: "50" },
    status: { type: "string", default: "100" },
    json: { type: "string" },
  },
});
const seconds = Number(values.round);
const rounds = Math.ceil((Number(values.minutes) * 60) / seconds);

const KINDS = ["trace", "recommend", "status"] as const;
type Kind = (typeof KINDS)[number];

interface Round {
  readonly reports: Readonly<Record<Kind, LoadReport>>;
  readonly trainingSeconds: number;
  readonly cpuSeconds: number;
  readonly ownMib: number;
  readonly heapMib: number;
  readonly loopLateMs: number;
}

/** `POST /recommend` of a visitor who has viewed a few products and looks at another. */
function bodyOf(n: number): string {
  const product = (step: number) => String(10_000 + ((n * 31 + step * 7) % PRODUCTS));
  return JSON.stringify({
    appId: APP,
    productInteractions: [1, 2, 3, 4, 5].map((step) => ({
      productInteractionType: "product_view",
      productId: product(step),
      productSku: product(step),
      utcInteractionDate: new Date(Date.UTC(2026, 0, 1) + step * 60_000).toISOString(),
    })),
    currentProductIds: product(6),
    cId: `c-${n % VISITORS}`,
  });
}

const bodies = Array.from({ length: DIFFERENT }, (_, n) => bodyOf(n));
const queries = Array.from({ length: DIFFERENT }, (_, n) => `app_id=${APP}&fpcid=fp-${n % VISITORS}`);
const forms = viewForms(APP, DIFFERENT).map((form, n) => `${form}&fp_ccid=fp-${n % VISITORS}`);

function loadOf(server: BenchServer, kind: Kind, idsFile: string): Promise<LoadReport> {
  const plan = { connections: CONNECTIONS, rate: Number(values[kind]), seconds };
  if (kind === "trace") return load({ ...plan, url: `${server.facadeUrl}/trace`, bodies: forms, idsFile });
  if (kind === "status") return load({ ...plan, url: `${server.facadeUrl}/subscription_status`, bodies: [], queries });
  return load({ ...plan, url: `${server.facadeUrl}/recommend`, bodies, contentType: "application/json" });
}

/** The longest time that the event loop was late since this was asked before, and the memory of JavaScript. */
async function runtimeFigures({ rpcUrl }: BenchServer) {
  const text = await (await fetch(`${rpcUrl}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  return {
    loopLateMs: figure("nodejs_eventloop_lag_max_seconds") * 1000,
    heapMib: (figure("nodejs_heap_size_used_bytes") + figure("nodejs_external_memory_bytes")) / MIB,
  };
}

async function train({ rpcUrl }: BenchServer): Promise<number> {
  const transport = createGrpcTransport({ baseUrl: rpcUrl, defaultTimeoutMs: 3_600_000 });
  const startedAt = performance.now();
  await trained(transport, APP);
  return (performance.now() - startedAt) / 1000;
}

const failedOf = ({ statuses, lost, timeouts, unsent }: LoadReport) =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0) - (statuses["200"] ?? 0) + lost + timeouts + unsent;

const median = (figures: readonly number[]) =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

console.log(JSON.stringify({ ...machine(), ...values }));
const directory = await mkdtemp(join(tmpdir(), "aisle-soak-"));
const kept = join(directory, "store");
const server = await startServer(kept, "--log-level", "warn");
const measured: Round[] = [];
try {
  await createClient(AppService, createGrpcTransport({ baseUrl: server.rpcUrl })).createApp({ app: { appId: APP } });
  // Something to learn from.
  await load({ url: `${server.facadeUrl}/trace`, bodies: forms, connections: 16, seconds: 5 });
  let before = await processFigures(server.pid);
  await runtimeFigures(server);
  const ids = new Set<string>();
  for (let n = 0; n < rounds; n++) {
    const idsFile = join(directory, `ids-${n}`);
    const [trace, recommend, status, trainingSeconds] = await Promise.all([
      loadOf(server, "trace", idsFile),
      loadOf(server, "recommend", idsFile),
      loadOf(server, "status", idsFile),
      train(server),
    ]);
    for (const id of (await readFile(idsFile, "utf8")).trimEnd().split("\n")) ids.add(id);
    await rm(idsFile);
    const after = await processFigures(server.pid);
    const round = {
      reports: { trace, recommend, status },
      trainingSeconds,
      cpuSeconds: (after.cpuMs - before.cpuMs) / 1000,
      ownMib: after.ownBytes / MIB,
      ...(await runtimeFigures(server)),
    };
    before = after;
    measured.push(round);
    const times = KINDS.map((kind) => {
      const { ok } = round.reports[kind];
      return `${kind} ${ok.p50.toFixed(1)} / ${ok.p99.toFixed(1)} ms`;
    });
    const failed = KINDS.reduce((sum, kind) => sum + failedOf(round.reports[kind]), 0);
    console.log(
      `round ${n + 1} of ${rounds}: ${times.join(", ")}, ${failed} failed, trained in ${trainingSeconds.toFixed(1)} s, ${round.ownMib.toFixed(0)} MiB (${round.heapMib.toFixed(0)} used by JavaScript), loop late by ${round.loopLateMs.toFixed(0)} ms at most`,
    );
  }
  await server.stop();
  const missing = await missingIds({ kind: "embedded", directory: kept }, APP, ids);

  const later = measured.slice(1);
  const third = Math.max(1, Math.floor(later.length / 3));
  const [first, last] = [later.slice(0, third), later.slice(-third)];
  const table = new Table({
    style: { head: [], border: [] },
    head: ["median of rounds", "first third", "last third", "ratio"],
    colAligns: ["left", "right", "right", "right"],
  });
  const row = (name: string, of: (round: Round) => number) => {
    const [before, after] = [median(first.map(of)), median(last.map(of))];
    table.push([name, before.toFixed(1), after.toFixed(1), (after / before).toFixed(2)]);
  };
  for (const kind of KINDS) {
    row(`${kind}, p50 ms`, ({ reports }) => reports[kind].ok.p50);
    row(`${kind}, p99 ms`, ({ reports }) => reports[kind].ok.p99);
  }
  row("training, s", ({ trainingSeconds }) => trainingSeconds);
  row("CPU of the server, training with it, s", ({ cpuSeconds }) => cpuSeconds);
  row("memory without mapped files, MiB", ({ ownMib }) => ownMib);
  row("of it JavaScript, MiB", ({ heapMib }) => heapMib);
  row("event loop late by, at most, ms", ({ loopLateMs }) => loopLateMs);
  console.log(table.toString());
  const failed = measured.reduce(
    (sum, { reports }) => KINDS.reduce((all, kind) => all + failedOf(reports[kind]), sum),
    0,
  );
  const summary = { rounds, acknowledged: ids.size, missing, failed };
  console.log(JSON.stringify(summary));
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ machine: machine(), rounds: measured, summary }, null, 2)}\n`);
} finally {
  await server.kill();
  await rm(directory, { recursive: true, force: true });
}
