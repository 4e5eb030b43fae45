/**
 * What honest requests feel of hostile peers: the p99 of POST /trace alone and under each attack of `test/hostile`.
 *
 *   npm run bench -- hostile [--seconds 4] [--passes 3] [--rate 200] [--attack NAME] [--json FILE]
 *
 * Honest events come in an open loop at a fixed rate from a process of its own, in passes that are alone and beside the
 * attack in turns, alone first and last; a request that has to wait is as late as it is. What else the machine does falls on
 * both, and figures are medians of the passes. The server has a processor of its own where the machine has two; the attack
 * is sent from this process, which shares the other one with the honest load. `memory` is what the server grew by at the
 * most, without mapped files, `after` what is left of it three seconds after the last pass, against the time before the
 * attack.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import type { Attack, Target } from "../test/hostile/attack.js";
import { HTTP_ATTACKS } from "../test/hostile/http-attacks.js";
import { RPC_ATTACKS } from "../test/hostile/rpc-attacks.js";
import { machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, pinThisProcess, SERVER_CPU } from "./open-loop/pinning.js";
import type { LoadReport } from "./open-loop/plan.js";
import { processFigures } from "./process-figures.js";
import { aisle, startPinnedServer } from "./server.js";

const MIB = 1024 * 1024;
const APP = "shop";
/** Before and after an attack, ms. */
const LEAD_MS = 500;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    passes: { type: "string", default: "3" },
    rate: { type: "string", default: "200" },
    attack: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const passes = Number(values.passes);
const attacks = [...HTTP_ATTACKS, ...RPC_ATTACKS].filter(
  ({ name }) => values.attack.length === 0 || values.attack.includes(name),
);

interface Row {
  readonly attack: string;
  readonly what: string;
  readonly aloneP99Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly ratio: number;
  /** Honest requests that were not answered 200. */
  readonly failed: number;
  /** CPU of the server for each second of the attack, ms. */
  readonly cpuMsPerSecond: number;
  readonly memoryMiB: number;
  readonly afterMiB: number;
}

const directory = await mkdtemp(join(tmpdir(), "aisle-hostile-"));
pinThisProcess(LOAD_CPU);
const server = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, "--log-level", "error");
const target: Target = { facadePort: portOf(server.facadeUrl), rpcPort: portOf(server.rpcUrl), appId: APP };
const rows: Row[] = [];
try {
  await aisle(server, "app", "create", APP);
  await honest(5); // so that all is compiled
  for (const [n, attack] of attacks.entries()) {
    const row = await measure(attack);
    rows.push(row);
    console.log(
      `${n + 1} of ${attacks.length}: ${attack.name}, p99 ${row.aloneP99Ms.toFixed(1)} → ${row.p99Ms.toFixed(1)} ms`,
    );
  }
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

console.log(JSON.stringify(machine()));
const table = new Table({
  style: { head: [], border: [] },
  head: ["attack", "p99 alone", "p50", "p99", "of alone", "failed", "CPU ms/s", "memory", "after, MiB"],
  colAligns: ["left", ...Array.from({ length: 8 }, () => "right" as const)],
});
for (const row of rows) {
  const ms = [row.aloneP99Ms, row.p50Ms, row.p99Ms].map((value) => value.toFixed(1));
  const memory = [row.memoryMiB, row.afterMiB].map((value) => value.toFixed(0));
  table.push([row.attack, ...ms, row.ratio.toFixed(1), row.failed, row.cpuMsPerSecond.toFixed(0), ...memory]);
}
console.log(table.toString());
if (values.json !== undefined)
  await writeFile(
    values.json,
    `${JSON.stringify({ machine: machine(), seconds, passes, rate: values.rate, rows }, null, 2)}\n`,
  );

async function measure(attack: Attack): Promise<Row> {
  const alone = [await honest(seconds)];
  const beside: LoadReport[] = [];
  const before = await processFigures(server.pid);
  let mostBytes = before.ownBytes;
  let cpuMs = 0;
  for (let pass = 0; pass < passes; pass++) {
    const begin = await processFigures(server.pid);
    const watch = setInterval(async () => {
      mostBytes = Math.max(mostBytes, (await processFigures(server.pid)).ownBytes);
    }, 200);
    const end = new AbortController();
    const running = attack.run(target, end.signal);
    await pause(LEAD_MS); // its connections are there
    beside.push(await honest(seconds));
    cpuMs += (await processFigures(server.pid)).cpuMs - begin.cpuMs;
    end.abort();
    await running;
    clearInterval(watch);
    await pause(LEAD_MS);
    alone.push(await honest(seconds));
  }
  await pause(3000);
  const after = await processFigures(server.pid);
  const aloneP99Ms = median(alone.map(({ ok }) => ok.p99));
  const p99Ms = median(beside.map(({ ok }) => ok.p99));
  return {
    attack: attack.name,
    what: attack.what,
    aloneP99Ms,
    p50Ms: median(beside.map(({ ok }) => ok.p50)),
    p99Ms,
    ratio: p99Ms / aloneP99Ms,
    failed: [...alone, ...beside].reduce((sum, report) => sum + failures(report), 0),
    cpuMsPerSecond: cpuMs / passes / (seconds + LEAD_MS / 1000),
    memoryMiB: (mostBytes - before.ownBytes) / MIB,
    afterMiB: (after.ownBytes - before.ownBytes) / MIB,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function honest(forSeconds: number): Promise<LoadReport> {
  const bodies = Array.from({ length: 500 }, (_, n) =>
    new URLSearchParams({
      app_id: APP,
      action_type: "product_view",
      product_ids: `p${n % 50}`,
      c_id: `c${n}`,
    }).toString(),
  );
  const plan = { bodies, connections: 200, rate: Number(values.rate), seconds: forSeconds, warmSeconds: 1 };
  return load({ ...plan, url: `${server.facadeUrl}/trace` }, LOAD_CPU);
}

function failures({ statuses, timeouts, lost, unsent }: LoadReport): number {
  const refused = Object.entries(statuses).reduce((sum, [status, count]) => (status === "200" ? sum : sum + count), 0);
  return refused + timeouts + lost + unsent;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
