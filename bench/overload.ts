/**
 * What a server does with three times the events it can take: how many it still takes, and how it refuses the others.
 *
 *   npm run bench -- overload [--seconds 60] [--times 3] [--connections 1000] [--peak-seconds 10] [--json FILE]
 *
 * A server on an embedded store, on one processor, and the load on another, where processes can be bound to them.
 *
 *   peak       64 connections, each with its next event when it has its answer, until it runs no faster; then 200s a second
 *   overload   `times` the peak, due at their times whatever is answered, over at most so many connections. An event that
 *              finds none within 100 ms is not sent: a real sender would not have got one either
 *   peak again as before, over the store as it is now; what is compared with the peak is compared with the mean of both
 *
 * Then every id of a 200 is looked for in the store, and again after the server was ended by SIGKILL and the store
 * opened anew. `CPU an event` is what the server used for each 200, refusals included: on a machine that is busy
 * otherwise it says more than the rate. `--json` writes all figures and those of the machine.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
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

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    times: { type: "string", default: "3" },
    connections: { type: "string", default: "1000" },
    "peak-seconds": { type: "string", default: "10" },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const times = Number(values.times);

interface Phase {
  readonly name: string;
  readonly report: LoadReport;
  /** CPU of the server for each 200, µs. */
  readonly cpuMicros: number;
  /** Of the server, without mapped pages of the store: before, most and after, MiB. */
  readonly memory: { readonly before: number; readonly most: number; readonly after: number };
}

async function run(server: BenchServer, name: string, plan: Omit<LoadPlan, "url" | "bodies">): Promise<Phase> {
  const before = await processFigures(server.pid);
  const seen: ProcessFigures[] = [before];
  let isOver = false;
  const sampling = (async () => {
    for (; !isOver; await pause(SAMPLE_MS)) seen.push(await processFigures(server.pid));
  })();
  const report = await load({ url: `${server.facadeUrl}/trace`, bodies: viewForms(APP, 2000), ...plan }, LOAD_CPU);
  isOver = true;
  await sampling;
  const after = await processFigures(server.pid);
  return {
    name,
    report,
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, report.statuses[200] ?? 0),
    memory: {
      before: before.ownBytes / MIB,
      most: Math.max(...seen.map(({ ownBytes }) => ownBytes)) / MIB,
      after: after.ownBytes / MIB,
    },
  };
}

/** What the server counts as shed, by reason. */
async function shedOf(server: BenchServer): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.rpcUrl}/metrics`)).text();
  const found = text.matchAll(/^aisle_shed_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
}

const directory = await mkdtemp(join(tmpdir(), "aisle-overload-"));
const kept = join(directory, "store");
const idsFile = join(directory, "ids");
const server = await startPinnedServer(SERVER_CPU, `embedded:${kept}`, "--log-level", "error");
try {
  console.log(JSON.stringify(machine()));
  await aisle(server, "app", "create", APP);
  const closed = { connections: 64, seconds: Number(values["peak-seconds"]) };
  await run(server, "warm-up", closed);
  const peak = await run(server, "peak", closed);
  const rate = times * peak.report.okPerSecond;
  const pace = { connections: Number(values.connections), rate, patienceMs: 100 };
  // Connections and what they hold are there before memory is looked at.
  await run(server, "warm-up", { ...pace, seconds: 5 });
  const over = await run(server, `${times} times that`, { ...pace, seconds, idsFile });
  const shed = await shedOf(server);
  const again = await run(server, "peak again", closed);

  const ids = new Set((await readFile(idsFile, "utf8")).trimEnd().split("\n"));
  const missing = await missingIds(kept, APP, ids);
  await server.kill();
  const missingAfterKill = await missingIds(kept, APP, ids);

  const table = new Table({
    style: { head: [], border: [] },
    head: [
      "",
      "200 a second",
      "p50 ms",
      "p99 ms",
      "503 a second",
      "not sent",
      "timeouts",
      "CPU an event, µs",
      "memory MiB",
    ],
    colAligns: ["left", "right", "right", "right", "right", "right", "right", "right", "right"],
  });
  for (const { name, report, cpuMicros, memory } of [peak, over, again]) {
    table.push([
      name,
      Math.round(report.okPerSecond).toLocaleString("en"),
      report.ok.p50.toFixed(1),
      report.ok.p99.toFixed(1),
      Math.round(report.otherPerSecond).toLocaleString("en"),
      report.unsent.toLocaleString("en"),
      report.timeouts + report.lost,
      cpuMicros.toFixed(0),
      `${memory.before.toFixed(0)} → ${memory.after.toFixed(0)}, at most ${memory.most.toFixed(0)}`,
    ]);
  }
  console.log(table.toString());
  const summary = {
    goodputOfPeak: (2 * over.report.okPerSecond) / (peak.report.okPerSecond + again.report.okPerSecond),
    cpuOfPeak: (2 * over.cpuMicros) / (peak.cpuMicros + again.cpuMicros),
    memoryGrowthMiB: over.memory.after - over.memory.before,
    acknowledged: ids.size,
    missing,
    missingAfterKill,
    refusedWithoutRetryAfter: over.report.refusedWithoutRetryAfter,
    statuses: over.report.statuses,
    shed,
  };
  console.log(JSON.stringify(summary, null, 2));
  if (values.json !== undefined) {
    const figures = { machine: machine(), seconds, times, peak, over, again, summary };
    await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
} finally {
  await server.kill();
  await rm(directory, { recursive: true, force: true });
}
