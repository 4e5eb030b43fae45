/**
 * Latency of POST /trace in an open loop at a rate the server has time for, and what may have made the slowest wait: the
 * server's own counts of collections, of commits and of how late its event loop was, over the same time.
 */
import Table from "cli-table3";
import { load } from "../open-loop/load.js";
import { LOAD_CPU } from "../open-loop/pinning.js";
import type { Latency } from "../open-loop/plan.js";
import { processFigures } from "../process-figures.js";
import { FORMS } from "./forms.js";

const CONNECTIONS = 512;
const WARM_SECONDS = 3;

/** Milliseconds, of the server while it was under load. */
export interface Pauses {
  readonly seconds: number;
  readonly minorCollections: number;
  readonly minorMeanMs: number;
  readonly majorCollections: number;
  /** Steps of a collection beside the program's own work included. */
  readonly majorMeanMs: number;
  readonly commits: number;
  /** From the start of a commit's work to its data on disk. */
  readonly commitMeanMs: number;
  readonly loopLateP99Ms: number;
  readonly loopLateMaxMs: number;
}

export interface HalfRate {
  readonly rate: number;
  readonly okPerSecond: number;
  readonly failed: number;
  readonly latency: Latency;
  /** How late the load itself was. */
  readonly lateness: Latency;
  readonly cpuMicros: number;
  readonly pauses: Pauses;
}

/** `rate` is requests a second. */
export async function measureAtRate(
  server: { readonly traceUrl: string; readonly rpcUrl: string; readonly pid: number },
  rate: number,
  seconds: number,
): Promise<HalfRate> {
  const plan = {
    url: server.traceUrl,
    bodies: FORMS.shop ?? [],
    connections: CONNECTIONS,
    rate,
    warmSeconds: WARM_SECONDS,
  };
  await load({ ...plan, seconds: 3 }, LOAD_CPU);
  const before = await seriesOf(server.rpcUrl); // reading the event loop's lateness begins it anew
  const used = await processFigures(server.pid);
  const report = await load({ ...plan, seconds }, LOAD_CPU);
  const cpuMs = (await processFigures(server.pid)).cpuMs - used.cpuMs;
  const after = await seriesOf(server.rpcUrl);
  const ok = report.statuses["200"] ?? 0;
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  return {
    rate,
    okPerSecond: report.okPerSecond,
    failed: answers - ok + report.lost + report.timeouts + report.unsent,
    latency: report.ok,
    lateness: report.lateness,
    cpuMicros: (cpuMs * 1000) / Math.max(1, ok + report.warmAnswers),
    pauses: pausesOf(before, after, WARM_SECONDS + seconds),
  };
}

type Series = ReadonlyMap<string, number>;

async function seriesOf(rpcUrl: string): Promise<Series> {
  const text = await (await fetch(`${rpcUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

function pausesOf(before: Series, after: Series, seconds: number): Pauses {
  const rise = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const gc = (what: "count" | "sum", ...kinds: readonly string[]) =>
    kinds.reduce((sum, kind) => sum + rise(`nodejs_gc_duration_seconds_${what}{kind="${kind}"}`), 0);
  const meanMs = (sum: number, count: number) => (count === 0 ? 0 : (sum * 1000) / count);
  const major = ["major", "incremental"];
  return {
    seconds,
    minorCollections: gc("count", "minor"),
    minorMeanMs: meanMs(gc("sum", "minor"), gc("count", "minor")),
    majorCollections: gc("count", "major"),
    majorMeanMs: meanMs(gc("sum", ...major), gc("count", "major")),
    commits: rise("aisle_store_commit_seconds_count"),
    commitMeanMs: meanMs(rise("aisle_store_commit_seconds_sum"), rise("aisle_store_commit_seconds_count")),
    loopLateP99Ms: (after.get("nodejs_eventloop_lag_p99_seconds") ?? 0) * 1000,
    loopLateMaxMs: (after.get("nodejs_eventloop_lag_max_seconds") ?? 0) * 1000,
  };
}

export function rateTable(measured: HalfRate): string {
  const { latency, lateness, pauses } = measured;
  const table = new Table({ style: { head: [], border: [] }, colAligns: ["left", "right"] });
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  table.push(
    ["requests a second, each at its time", Math.round(measured.rate).toLocaleString("en")],
    ["answered 200, a second", Math.round(measured.okPerSecond).toLocaleString("en")],
    ["not answered 200", measured.failed],
    ["CPU for each", `${measured.cpuMicros.toFixed(1)} µs`],
    ["p50", ms(latency.p50)],
    ["p99", ms(latency.p99)],
    ["p99.9", ms(latency.p999)],
    ["slowest", ms(latency.max)],
    ["of that: the load left late by, p99", ms(lateness.p99)],
    ["minor collections", `${pauses.minorCollections} of ${ms(pauses.minorMeanMs)}`],
    ["major collections, with their steps", `${pauses.majorCollections} of ${ms(pauses.majorMeanMs)}`],
    ["commits", `${pauses.commits} of ${ms(pauses.commitMeanMs)}`],
    ["event loop late by, p99 and most", `${ms(pauses.loopLateP99Ms)}, ${ms(pauses.loopLateMaxMs)}`],
  );
  return table.toString();
}
