/**
 * POST /trace and POST /recommend as strangers load them, beside the least that Node can do for the same bodies.
 *
 *   npm run bench -- stranger [--part trace,recommend] [--connections 32,64] [--seconds 3] [--passes 5] [--json FILE]
 *                             [--other DIR] [--requests 3000]
 *
 * An app without a model, whose catalogue events have taught: 40 product ids. Each event and each question is of a visitor
 * the server has not met, in the forms of shared/bench's `lua/post.lua` (stranger/bodies.ts). `/trace` stands beside the
 * reference server of shared/bench (node:http, the form parsed, a random id, a group commit), `/recommend` with 20
 * interactions beside an empty answer of fastify. Servers are on one processor and the load on another; passes of a closed
 * loop alternate, and CPU is that of the server's process for each 200. The figure is the pass with the median CPU.
 * `--other` names another checkout with its `dist`, which is measured in the same turns; both must give the same 1,000
 * answers, a quarter of them to visitors that one of their ids has named before. With `--requests` a pass is so many
 * requests instead of seconds: on a machine that is busy otherwise, ratios of CPU are steady that way.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { startEmptyServer } from "./empty-server.js";
import { machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import { processFigures } from "./process-figures.js";
import { aisleOf, BIN, startBuild } from "./server.js";
import { APP, questions, teachingForms, traceForms } from "./stranger/bodies.js";
import { postAll } from "./stranger/by-count.js";
import { hashOfAnswers } from "./stranger/same-answers.js";
import { referenceServer, startReference } from "./trace/reference-server.js";

const WARM_REQUESTS = 60_000;
const WARM_SECONDS = 2;
/** Answers that builds are compared by. */
const COMPARED = 1000;
/** On a machine that is busy otherwise the requests are not waited for any longer. */
const MOST_WARM_PASSES = 10;
const WARM_PASSES_OF_REQUESTS = 3;

const { values } = parseArgs({
  options: {
    part: { type: "string", default: "trace,recommend" },
    connections: { type: "string", default: "32,64" },
    seconds: { type: "string", default: "3" },
    passes: { type: "string", default: "5" },
    json: { type: "string" },
    other: { type: "string" },
    requests: { type: "string" },
  },
});

interface Side {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Those of the next pass: no visitor comes twice. */
  readonly bodies: () => readonly string[];
  readonly contentType: string;
}

interface Pass {
  readonly cpuMicros: number;
  readonly okPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly failed: number;
}

interface Row extends Pass {
  readonly part: string;
  readonly connections: number;
  readonly server: string;
  readonly ratio: number;
  /** How much the dearest pass cost more than the cheapest. */
  readonly spread: number;
}

/** A pass of so many requests; it has no latencies. */
async function passOf(requests: number, side: Side, connections: number): Promise<Pass> {
  const { url, pid, contentType } = side;
  const bodies = side.bodies().slice(0, requests);
  const started = performance.now();
  const before = await processFigures(pid);
  await postAll(url, contentType, bodies, connections);
  const after = await processFigures(pid);
  const okPerSecond = (1000 * requests) / (performance.now() - started);
  const cpuMicros = ((after.cpuMs - before.cpuMs) * 1000) / requests;
  return { cpuMicros, okPerSecond, p50: Number.NaN, p99: Number.NaN, p999: Number.NaN, failed: 0 };
}

async function pass(side: Side, connections: number, seconds: number): Promise<Pass> {
  if (values.requests !== undefined) return passOf(Number(values.requests), side, connections);
  const { url, pid, bodies, contentType } = side;
  const plan = { url, bodies: bodies(), contentType, connections, seconds };
  const before = await processFigures(pid);
  const report = await load(plan, LOAD_CPU);
  const after = await processFigures(pid);
  const ok = report.statuses["200"] ?? 0;
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  return {
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, ok),
    okPerSecond: report.okPerSecond,
    p50: report.ok.p50,
    p99: report.ok.p99,
    p999: report.ok.p999,
    failed: answers - ok + report.lost + report.timeouts,
  };
}

/** Passes of all sides in turns; ratios are to the first. */
async function measure(part: string, sides: readonly Side[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const side of sides) {
    let answered = 0;
    const most = values.requests === undefined ? MOST_WARM_PASSES : WARM_PASSES_OF_REQUESTS;
    for (let n = 0; n < most && answered < WARM_REQUESTS; n++)
      answered += WARM_SECONDS * (await pass(side, 64, WARM_SECONDS)).okPerSecond;
  }
  for (const connections of values.connections.split(",").map(Number)) {
    const passes = sides.map((): Pass[] => []);
    for (let n = 0; n < Number(values.passes); n++)
      for (const [at, side] of sides.entries()) passes[at]?.push(await pass(side, connections, Number(values.seconds)));
    let reference = Number.NaN;
    for (const [at, side] of sides.entries()) {
      const sorted = [...(passes[at] ?? [])].sort((a, b) => a.cpuMicros - b.cpuMicros);
      const median = sorted[Math.floor(sorted.length / 2)];
      if (median === undefined) continue;
      if (at === 0) reference = median.cpuMicros;
      const spread = (sorted.at(-1)?.cpuMicros ?? 0) / (sorted[0]?.cpuMicros ?? 1) - 1;
      const ratio = median.cpuMicros / reference;
      rows.push({ part, connections, server: side.name, ...median, ratio, spread });
    }
  }
  return rows;
}

function tableOf(rows: readonly Row[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: ["", "connections", "", "CPU µs", "ratio", "spread", "a second", "p50 ms", "p99", "p99.9", "failed"],
    colAligns: ["left", "right", "left", ...Array.from({ length: 8 }, () => "right" as const)],
  });
  for (const { part, connections, server, cpuMicros, ratio, spread, okPerSecond, p50, p99, p999, failed } of rows) {
    const cpu = [cpuMicros.toFixed(1), ratio.toFixed(2), `${Math.round(spread * 100)} %`];
    const times = [p50, p99, p999].map((ms) => (Number.isNaN(ms) ? "" : ms.toFixed(1)));
    table.push([part, connections, server, ...cpu, Math.round(okPerSecond).toLocaleString("en"), ...times, failed]);
  }
  return table.toString();
}

const FORM = "application/x-www-form-urlencoded";

/** A server over a new store with one app that events have taught. */
async function startTaught(name: string, bin: string, directory: string) {
  const server = await startBuild(bin, SERVER_CPU, `embedded:${join(directory, name)}`, "--log-level", "silent");
  await aisleOf(bin)(server, "app", "create", APP);
  await load({
    url: `${server.facadeUrl}/trace`,
    bodies: teaching,
    contentType: FORM,
    connections: 8,
    seconds: 1,
  });
  return { ...server, name };
}

console.log(JSON.stringify(machine()));
const teaching = teachingForms();
const directory = await mkdtemp(join(tmpdir(), "aisle-stranger-"));
const parts = values.part.split(",");
const reference = referenceServer();
const builds = [await startTaught("Aisle", BIN, directory)];
if (values.other !== undefined)
  builds.unshift(await startTaught("Aisle, other", join(values.other, "bin/aisle.js"), directory));
const empty = await startEmptyServer();
const group = reference === undefined ? undefined : await startReference(reference, directory, SERVER_CPU);
try {
  const rows: Row[] = [];
  const asked = questions().slice(0, 0.75 * COMPARED);
  const known = asked.slice(0, 0.25 * COMPARED).map((body) => body.replace(/"cId":"[^"]*"/, '"cId":""'));
  const hashes = await Promise.all(builds.map(({ facadeUrl }) => hashOfAnswers(facadeUrl, [...asked, ...known])));
  console.log(`answers: ${hashes.join(" ")}`);
  if (new Set(hashes).size > 1) throw new Error("the builds do not answer alike");
  if (parts.includes("recommend")) {
    const side = (name: string, url: string, pid: number): Side => {
      return { name, url: `${url}/recommend`, pid, contentType: "application/json", bodies: questions };
    };
    const ours = builds.map(({ name, facadeUrl, pid }) => side(name, facadeUrl, pid));
    rows.push(...(await measure("recommend", [side("fastify, empty answer", empty.url, empty.pid), ...ours])));
  }
  if (parts.includes("trace")) {
    const side = (name: string, url: string, pid: number): Side => {
      return { name, url, pid, contentType: FORM, bodies: traceForms };
    };
    const ours = builds.map(({ name, facadeUrl, pid }) => side(name, `${facadeUrl}/trace`, pid));
    if (group === undefined) console.log("there is no reference: AISLE_SHARED_BENCH names where shared/bench is");
    const first = group === undefined ? [] : [side("node:http, group commit", group.traceUrl, group.pid)];
    rows.push(...(await measure("trace", [...first, ...ours])));
  }
  console.log(tableOf(rows));
  if (values.json !== undefined) {
    const all = { machine: machine(), seconds: values.seconds, passes: values.passes, rows };
    await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  }
} finally {
  empty.stop();
  await Promise.all([...builds.map((build) => build.stop()), group?.stop()]);
  await rm(directory, { recursive: true, force: true });
}
