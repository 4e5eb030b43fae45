/**
 * Events a second of the MongoDB store with one and two processes, one and eight shops, beside plain designs in the same run.
 *
 *   npm run bench -- mongo [--seconds 4] [--callers 64] [--designs insert,gathered,transaction,store] [--database-pid PID]
 *
 * On the server at MONGODB_TEST_URL, else on the replica set of the tests, in a process of its own: its figures show round trips, not
 * the speed of a database. An event is a product view; every second one has a new visitor. CPU is that of the processes that
 * store; with --database-pid also that of this process and its children.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openMongoPeer } from "../test/fixtures/mongo-peer.js";
import type { Measured } from "./load.js";
import { DESIGN_TITLES, DESIGNS, type Design } from "./mongo/designs.js";
import { processFigures } from "./process-figures.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "4" },
    callers: { type: "string", default: "64" },
    designs: { type: "string", default: DESIGNS.join(",") },
    "database-pid": { type: "string" },
  },
});
const seconds = Number(values.seconds);
const callers = Number(values.callers);
const designs = DESIGNS.filter((design) => values.designs.split(",").includes(design));
const databasePid = values["database-pid"] === undefined ? undefined : Number(values["database-pid"]);

interface Row {
  readonly perSecond: number;
  /** CPU of the storing processes for one event, µs. */
  readonly cpuMicros: number;
  readonly databaseMicros: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** CPU time of a process and all its descendants, ms. */
async function treeCpuMs(root: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => ""); // it has just ended
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  const figures = await Promise.all([...parents.keys()].filter(isBelow).map(processFigures));
  return figures.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

async function run(design: Design, url: string, processes: number, apps: number): Promise<Row> {
  const each = callers / processes;
  const children: ChildProcess[] = [];
  for (let n = 0; n < processes; n++) {
    const args = [design, url, each, apps, seconds, n].map(String);
    const child = fork(join(import.meta.dirname, "mongo/caller.ts"), args, { execArgv: ["--import", "tsx"] });
    children.push(child);
  }
  await Promise.all(children.map((child) => once(child, "message")));
  const before = databasePid === undefined ? 0 : await treeCpuMs(databasePid);
  const results = children.map(async (child): Promise<Measured> => {
    const said = once(child, "message");
    child.send("go");
    const [measured] = await said;
    return measured;
  });
  const measured = await Promise.all(results);
  const after = databasePid === undefined ? 0 : await treeCpuMs(databasePid);
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : undefined)));
  const perSecond = measured.reduce((sum, one) => sum + one.perSecond, 0);
  return {
    perSecond,
    cpuMicros: measured.reduce((sum, one) => sum + one.cpuMicros * one.perSecond, 0) / perSecond,
    databaseMicros: ((after - before) * 1000) / (perSecond * seconds),
    p99Ms: Math.max(...measured.map((one) => one.p99Ms)),
    failed: measured.reduce((sum, one) => sum + one.failed, 0),
  };
}

const peer = await openMongoPeer();
console.log(`${peer.name}, ${callers} callers, ${seconds} s for each measurement\n`);
console.log("| design | shops | processes | events/s | CPU an event | database's CPU an event | p99 | failed |");
console.log("|---|---|---|---|---|---|---|---|");
for (const design of designs) {
  for (const [apps, processes] of [
    [1, 1],
    [1, 2],
    [8, 1],
    [8, 2],
  ] as const) {
    const database = `aisle_bench_${process.pid}_${design}_${apps}_${processes}`;
    const row = await run(design, peer.url(database), processes, apps);
    await peer.drop(database);
    const figures = [
      Math.round(row.perSecond).toLocaleString("en"),
      `${Math.round(row.cpuMicros)} µs`,
      databasePid === undefined ? "" : `${Math.round(row.databaseMicros)} µs`,
      `${row.p99Ms.toFixed(0)} ms`,
      String(row.failed),
    ];
    console.log(`| ${DESIGN_TITLES[design]} | ${apps} | ${processes} | ${figures.join(" | ")} |`);
  }
}
await peer.stop();
