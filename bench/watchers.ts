/**
 * What watches of one app cost: the p99 of POST /trace of another app with 0, 50 and 200 of them, how late their events come, and memory.
 *
 *   npm run bench -- watchers [--watches 0,50,200] [--rate 300] [--own-rate 100] [--seconds 8] [--passes 3] [--bin BUILD/bin/aisle.js] [--json FILE]
 *
 * The watched app gets `rate` events a second, the other one `own-rate`, both in open loops; the second is measured. Numbers of
 * watches take turns, and figures are medians of the passes: what else the machine does falls on all of them. The server has a
 * processor of its own where the machine has two; loads and watches share the other one, where watches give way: what the
 * readers of a watch take of it is not the server's. `memory` is what the server holds
 * beyond its first pass without watches. `delay` is from the receipt of an event to its arrival at one of five watches that are decoded. `--bin` measures
 * another build.
 */
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keep, machine, viewForms } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, pinThisProcess, SERVER_CPU } from "./open-loop/pinning.js";
import { failedOf, quantile, tableOf } from "./passes.js";
import { processFigures } from "./process-figures.js";
import { aisle, BIN, startBuild } from "./server.js";
import type { Consumed } from "./watchers/consumers.js";

const MIB = 1024 * 1024;
const WATCHED = "watched";
const OTHER = "other";
/** Watches that are decoded. */
const DECODED = 5;

const { values } = parseArgs({
  options: {
    watches: { type: "string", default: "0,50,200" },
    rate: { type: "string", default: "300" },
    "own-rate": { type: "string", default: "100" },
    seconds: { type: "string", default: "8" },
    passes: { type: "string", default: "3" },
    bin: { type: "string", default: BIN },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const counts = values.watches.split(",").map(Number);
if (counts.some((count) => count > 0 && count <= DECODED)) throw new Error(`--watches: 0, or more than ${DECODED}`);

interface Pass {
  readonly watches: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly cpuShare: number;
  readonly bytes: number;
  /** MB a second to all watches. */
  readonly sentMbPerSecond: number;
  readonly longestToken: number;
  readonly ended: readonly string[];
}

const directory = await mkdtemp(join(tmpdir(), "aisle-watchers-"));
const server = await startBuild(values.bin, SERVER_CPU, `embedded:${directory}`, "--log-level", "silent");
pinThisProcess(LOAD_CPU); // behind the start of the server, which would not get the other one
const passes: Pass[] = [];
try {
  for (const appId of [WATCHED, OTHER]) await aisle(server, "app", "create", appId);
  await measure(0); // so that all is compiled
  await measure(Math.max(...counts));
  for (let pass = 0; pass < Number(values.passes); pass++)
    for (const count of counts) passes.push(await measure(count));
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

const rows = counts.map((count) => {
  const own = passes.filter(({ watches }) => watches === count);
  const middle = (of: (pass: Pass) => number) => quantile(own.map(of), 0.5);
  return {
    watches: count,
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    failed: own.reduce((sum, { failed }) => sum + failed, 0),
    delayP50Ms: middle(({ delayP50Ms }) => delayP50Ms),
    delayP99Ms: middle(({ delayP99Ms }) => delayP99Ms),
    cpuShare: middle(({ cpuShare }) => cpuShare),
    memoryMiB: (middle(({ bytes }) => bytes) - (passes[0]?.bytes ?? 0)) / MIB,
    sentMbPerSecond: middle(({ sentMbPerSecond }) => sentMbPerSecond),
    longestToken: Math.max(...own.map(({ longestToken }) => longestToken)),
    ended: own.flatMap(({ ended }) => ended).length,
  };
});
console.log(JSON.stringify(machine()));
const alone = rows.find(({ watches }) => watches === 0)?.p99Ms ?? Number.NaN;
const head = ["watches", "p50", "p99 ms", "of none", "failed", "delay p50", "p99 ms", "CPU", "memory MiB", "MB/s"];
console.log(
  tableOf(
    [...head, "token", "ended"],
    rows.map((row) => [
      ...[row.watches, row.p50Ms.toFixed(1), row.p99Ms.toFixed(1), (row.p99Ms / alone).toFixed(2), row.failed],
      ...[row.delayP50Ms.toFixed(0), row.delayP99Ms.toFixed(0), row.cpuShare.toFixed(2), row.memoryMiB.toFixed(0)],
      ...[row.sentMbPerSecond.toFixed(1), row.longestToken, row.ended],
    ]),
  ),
);
await keep(values.json, { ...values, rows, passes });

async function measure(watches: number): Promise<Pass> {
  const consumers = watches === 0 ? undefined : await startConsumers(watches);
  const begin = await processFigures(server.pid);
  const plan = { url: `${server.facadeUrl}/trace`, connections: 100, seconds, warmSeconds: 2 };
  const send = (appId: string, rate: number) => load({ ...plan, bodies: viewForms(appId, 1000), rate }, LOAD_CPU);
  const [, report] = await Promise.all([send(WATCHED, Number(values.rate)), send(OTHER, Number(values["own-rate"]))]);
  const end = await processFigures(server.pid);
  const consumed = await consumers?.();
  const all = consumed === undefined ? [] : [consumed.decoded, consumed.others];
  const delays = consumed?.decoded.delayMs ?? [];
  return {
    watches,
    p50Ms: report.ok.p50,
    p99Ms: report.ok.p99,
    failed: failedOf(report),
    delayP50Ms: delays.length === 0 ? 0 : quantile(delays, 0.5),
    delayP99Ms: delays.length === 0 ? 0 : quantile(delays, 0.99),
    cpuShare: (end.cpuMs - begin.cpuMs) / ((seconds + 2) * 1000),
    bytes: end.ownBytes,
    sentMbPerSecond: all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6 / (seconds + 2),
    longestToken: consumed?.decoded.longestToken ?? 0,
    ended: all.flatMap(({ ended }) => ended),
  };
}

/** Begins watches; the result ends them and resolves with what they have got. */
async function startConsumers(watches: number) {
  const [decoded, others] = await Promise.all([begin(DECODED, "decode"), begin(watches - DECODED, "bytes")]);
  return async () => ({ decoded: await decoded(), others: await others() });
}

async function begin(watches: number, how: "decode" | "bytes"): Promise<() => Promise<Consumed>> {
  const file = join(import.meta.dirname, "watchers/consumers.ts");
  const child = fork(file, [server.rpcUrl, WATCHED, String(watches), how], { execArgv: ["--import", "tsx"] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const next = () => new Promise<unknown>((resolve) => child.once("message", resolve));
  await next();
  return async () => {
    const consumed = next();
    child.send("end");
    const got = await consumed;
    if (!isConsumed(got)) throw new Error("The watches said nothing");
    return got;
  };
}

function isConsumed(said: unknown): said is Consumed {
  return typeof said === "object" && said !== null && "delayMs" in said;
}
