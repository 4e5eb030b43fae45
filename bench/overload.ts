/**
 * What a server does with more events than it can take: how many it still takes, and how it refuses the others.
 *
 *   npm run bench -- overload [--stores embedded,mongo] [--times 0.5,1,2,10] [--seconds 10] [--passes 2]
 *                             [--visitors 2000] [--connections 1000] [--no-pin] [--json FILE]
 *
 * MongoDB is what the tests use (MONGODB_TEST_URL, else the replica set of the tests). The server is one process on one
 * processor and the load one on another, where processes can be bound to them; `--no-pin` leaves them unbound.
 *
 *   best       a closed loop with 4, 16, 64 and 256 connections; the number that gives the most 200s a second is kept
 *   overload   `times` the best rate, due at their times whatever is answered, over at most so many connections. An event
 *              that finds none within 100 ms is not sent: a real sender would not have got one either
 *
 * Each overload comes between two measurements of the best rate, and is compared with their mean, so that what else the
 * machine does counts less. Then every id of a 200 is looked for in the store, and for an embedded one again after SIGKILL.
 * `CPU an event` is what the server used for each 200, refusals included.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { StoreLocation } from "../src/server/open-store.js";
import { openMongoPeer } from "../test/fixtures/mongo-peer.js";
import { machine, viewForms } from "./load.js";
import { missingIds } from "./missing-ids.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import type { LoadPlan, LoadReport } from "./open-loop/plan.js";
import { type ProcessFigures, processFigures } from "./process-figures.js";
import { aisle, type BenchServer, startPinnedServer } from "./server.js";

const APP = "shop";
const SAMPLE_MS = 500;
const MIB = 2 ** 20;
const CLOSED = [4, 16, 64, 256];
const PATIENCE_MS = 100;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    stores: { type: "string", default: "embedded,mongo" },
    times: { type: "string", default: "0.5,1,2,10" },
    seconds: { type: "string", default: "10" },
    passes: { type: "string", default: "2" },
    visitors: { type: "string", default: "2000" },
    connections: { type: "string", default: "1000" },
    pin: { type: "boolean", default: true },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const passes = Number(values.passes);
const allTimes = values.times.split(",").map(Number);
const bodies = viewForms(APP, Number(values.visitors), Number(values.visitors));

/** One load on the server. */
interface Phase {
  readonly name: string;
  readonly report: LoadReport;
  /** CPU of the server for each 200, µs. */
  readonly cpuMicros: number;
  /** Of the server, without mapped pages of the store: most, MiB. */
  readonly memoryMiB: number;
  /** The mean of `aisle_events_limit`. */
  readonly limit: number;
  /** To the mean of the best rates before and after. */
  readonly ofBest?: number;
}

interface Side {
  readonly name: string;
  /** For `aisle serve`. */
  readonly address: string;
  readonly location: StoreLocation;
  close(): Promise<void>;
}

async function embeddedSide(folder: string): Promise<Side> {
  const directory = join(folder, "store");
  return {
    name: "embedded",
    address: `embedded:${directory}`,
    location: { kind: "embedded", directory },
    close: async () => undefined,
  };
}

async function mongoSide(): Promise<Side | undefined> {
  const peer = await openMongoPeer();
  if (peer === undefined) return undefined;
  const database = `aisle_overload_${process.pid}`;
  const url = peer.url(database);
  return {
    name: peer.name,
    address: url,
    location: { kind: "mongo", url },
    async close() {
      await peer.drop(database);
      await peer.stop();
    },
  };
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);

async function run(server: BenchServer, name: string, plan: Omit<LoadPlan, "url" | "bodies">): Promise<Phase> {
  const before = await processFigures(server.pid);
  const seen: ProcessFigures[] = [before];
  const limits: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    for (; !isOver; await pause(SAMPLE_MS)) {
      seen.push(await processFigures(server.pid));
      limits.push(await limitOf(server));
    }
  })();
  const report = await load({ url: `${server.facadeUrl}/trace`, bodies, ...plan }, values.pin ? LOAD_CPU : undefined);
  isOver = true;
  await sampling;
  const after = await processFigures(server.pid);
  const phase = {
    name,
    report,
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, report.statuses[200] ?? 0),
    limit: mean(limits),
    memoryMiB: Math.max(...seen.map(({ ownBytes }) => ownBytes)) / MIB,
  };
  console.log(
    `${name}: ${JSON.stringify({ ok: report.okPerSecond, other: report.otherPerSecond, statuses: report.statuses, limits: limits.join(" ") })}`,
  );
  return phase;
}

async function limitOf(server: BenchServer): Promise<number> {
  const text = await (await fetch(`${server.rpcUrl}/metrics`)).text();
  return Number(/^aisle_events_limit (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** What the server counts as shed, by reason. */
async function shedOf(server: BenchServer): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.rpcUrl}/metrics`)).text();
  const found = text.matchAll(/^aisle_shed_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
}

/** The number of connections whose closed loop gives the most 200s a second. */
async function bestConnections(server: BenchServer): Promise<number> {
  await run(server, "warm-up", { connections: 64, seconds: Math.min(5, seconds) });
  let best = { connections: 0, perSecond: 0 };
  for (const connections of CLOSED) {
    const { report } = await run(server, `closed, ${connections}`, { connections, seconds: Math.min(5, seconds) });
    if (report.okPerSecond > best.perSecond) best = { connections, perSecond: report.okPerSecond };
  }
  return best.connections;
}

async function measureSide(side: Side, folder: string) {
  const server = await startPinnedServer(values.pin ? SERVER_CPU : undefined, side.address, "--log-level", "error");
  const ids = new Set<string>();
  const phases: Phase[] = [];
  try {
    await aisle(server, "app", "create", APP);
    const connections = await bestConnections(server);
    const peakOf = () => run(server, "best", { connections, seconds });
    let before = await peakOf();
    phases.push(before);
    for (let pass = 0; pass < passes; pass++) {
      for (const times of allTimes) {
        const idsFile = join(folder, "ids");
        const over = await run(server, `${times} times`, {
          connections: Number(values.connections),
          rate: times * before.report.okPerSecond,
          patienceMs: PATIENCE_MS,
          warmSeconds: 2,
          seconds,
          idsFile,
        });
        for (const id of (await readFile(idsFile, "utf8")).trimEnd().split("\n")) if (id !== "") ids.add(id);
        const after = await peakOf();
        const best = (before.report.okPerSecond + after.report.okPerSecond) / 2;
        phases.push({ ...over, ofBest: over.report.okPerSecond / best }, after);
        before = after;
      }
    }
    const shed = await shedOf(server);
    const missing = await missingIds(side.location, APP, ids);
    await server.kill();
    const missingAfterKill = await missingIds(side.location, APP, ids);
    return { store: side.name, connections, phases, shed, acknowledged: ids.size, missing, missingAfterKill };
  } finally {
    await server.kill();
  }
}

function tableOf(phases: readonly Phase[]): string {
  const head = [
    "",
    "200 a second",
    "of best",
    "p50 ms",
    "p99 ms",
    "others a second",
    "p99 ms",
    "not sent",
    "lost",
    "CPU an event, µs",
    "memory MiB",
    "limit",
  ];
  const table = new Table({ style: { head: [], border: [] }, head });
  for (const name of new Set(phases.map((phase) => phase.name))) {
    const some = phases.filter((phase) => phase.name === name);
    const of = (figure: (phase: Phase) => number) => mean(some.map(figure));
    const shares = some.map(({ ofBest }) => ofBest).filter((share) => share !== undefined);
    table.push([
      name,
      of(({ report }) => report.okPerSecond).toFixed(0),
      shares.length === 0 ? "" : `${mean(shares).toFixed(2)} (${shares.map((share) => share.toFixed(2)).join(" ")})`,
      of(({ report }) => report.ok.p50).toFixed(0),
      of(({ report }) => report.ok.p99).toFixed(0),
      of(({ report }) => report.otherPerSecond).toFixed(0),
      of(({ report }) => report.other.p99).toFixed(0),
      of(({ report }) => report.unsent).toFixed(0),
      of(({ report }) => report.timeouts + report.lost).toFixed(0),
      of(({ cpuMicros }) => cpuMicros).toFixed(0),
      of(({ memoryMiB }) => memoryMiB).toFixed(0),
      of(({ limit }) => limit).toFixed(0),
    ]);
  }
  return table.toString();
}

console.log(JSON.stringify(machine()));
const measured = [];
for (const store of values.stores.split(",")) {
  const folder = await mkdtemp(join(tmpdir(), "aisle-overload-"));
  const side = store === "mongo" ? await mongoSide() : await embeddedSide(folder);
  try {
    if (side === undefined) continue;
    const { phases, ...rest } = await measureSide(side, folder);
    measured.push({ ...rest, phases });
    console.log(`\n${side.name}, best with ${rest.connections} connections`);
    console.log(tableOf(phases));
    console.log(JSON.stringify(rest));
  } finally {
    await side?.close();
    await rm(folder, { recursive: true, force: true });
  }
}
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine: machine(), seconds, passes, measured }, null, 2)}\n`);
