/**
 * Latency of POST /trace in an open loop at a rate the server has time for, and what may have made the slowest wait: the
 * server's own counts of collections, of commits and of how late its event loop was, over the same time.
 */
import { load } from "../open-loop/load.js";
import { LOAD_CPU } from "../open-loop/pinning.js";
import type { Latency } from "../open-loop/plan.js";
import { failedOf, rateOf, tableOf } from "../passes.js";
import { processFigures, seriesOf } from "../process-figures.js";
import { FORMS } from "./forms.js";

const CONNECTIONS = 512;
const WARM_SECONDS = 3;

export interface HalfRate {
  readonly rate: number;
  readonly okPerSecond: number;
  readonly failed: number;
  readonly latency: Latency;
  /** How late the load itself was. */
  readonly lateness: Latency;
  readonly cpuMicros: number;
  /** Of the server meanwhile: collections, commits, how late its event loop was. */
  readonly pauses: Readonly<Record<string, string>>;
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
  return {
    rate,
    okPerSecond: report.okPerSecond,
    failed: failedOf(report),
    latency: report.ok,
    lateness: report.lateness,
    cpuMicros: (cpuMs * 1000) / Math.max(1, ok + report.warmAnswers),
    pauses: pausesOf(before, after),
  };
}

function pausesOf(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): HalfRate["pauses"] {
  const rise = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0);
  const each = (series: string, labels: readonly string[] = [""]) => {
    const count = rise(labels.map((label) => `${series}_count${label}`));
    const seconds = rise(labels.map((label) => `${series}_sum${label}`));
    return `${count} of ${ms((seconds * 1000) / Math.max(1, count))}`;
  };
  const late = (share: string) => ms((after.get(`nodejs_eventloop_lag_${share}_seconds`) ?? 0) * 1000);
  return {
    "minor collections": each("nodejs_gc_duration_seconds", [`{kind="minor"}`]),
    // Steps of a collection beside the program's own work included.
    "major collections, with their steps": each("nodejs_gc_duration_seconds", [
      `{kind="major"}`,
      `{kind="incremental"}`,
    ]),
    // From the start of a commit's work to its data on disk.
    commits: each("aisle_store_commit_seconds"),
    "event loop late by, p99 and most": `${late("p99")}, ${late("max")}`,
  };
}

const ms = (value: number) => `${value.toFixed(2)} ms`;

export function rateTable({ rate, okPerSecond, failed, cpuMicros, latency, lateness, pauses }: HalfRate): string {
  return tableOf(
    ["", ""],
    [
      ["requests a second, each at its time", rateOf(rate)],
      ["answered 200, a second", rateOf(okPerSecond)],
      ["not answered 200", failed],
      ["CPU for each", `${cpuMicros.toFixed(1)} µs`],
      ...(["p50", "p99", "p999", "max"] as const).map((share) => [share, ms(latency[share])]),
      ["of that: the load left late by, p99", ms(lateness.p99)],
      ...Object.entries(pauses),
    ],
  );
}
