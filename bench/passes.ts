/** What benchmarks share: passes of a load with the CPU of the server's process, in turns; medians; tables. */
import Table from "cli-table3";
import { load } from "./open-loop/load.js";
import { LOAD_CPU } from "./open-loop/pinning.js";
import type { LoadPlan, LoadReport } from "./open-loop/plan.js";
import { processFigures } from "./process-figures.js";

/** Of one pass of a closed loop. */
export interface Pass {
  /** CPU of the server's process with all its threads, for each 200. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** Requests that were not answered 200. */
export function failedOf({ statuses, lost, timeouts, unsent }: LoadReport): number {
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return answers - (statuses["200"] ?? 0) + lost + timeouts + unsent;
}

/** Loads the server of this process from the processor of loads. */
export async function passOf(pid: number, plan: LoadPlan): Promise<Pass> {
  const before = await processFigures(pid);
  const report = await load(plan, LOAD_CPU);
  const after = await processFigures(pid);
  const { okPerSecond: perSecond, ok, statuses } = report;
  const cpuMicros = ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, statuses["200"] ?? 0);
  return { cpuMicros, perSecond, p50Ms: ok.p50, p99Ms: ok.p99, failed: failedOf(report) };
}

/** So many passes of each, in turns, so that what else the machine does meets all. */
export async function inTurns<T, P>(all: readonly T[], passes: number, pass: (one: T) => Promise<P>): Promise<P[][]> {
  const measured = all.map((): P[] => []);
  for (let n = 0; n < passes; n++) for (const [at, one] of all.entries()) measured[at]?.push(await pass(one));
  return measured;
}

/** The one whose figure is the median. Throws when there is none. */
export function medianOf<T>(all: readonly T[], of: (one: T) => number): T {
  const median = [...all].sort((a, b) => of(a) - of(b))[Math.floor(all.length / 2)];
  if (median === undefined) throw new Error("there was no pass");
  return median;
}

export const cpuOf = ({ cpuMicros }: { readonly cpuMicros: number }) => cpuMicros;

/** Of figures, by share: 0.5 is the median. Not a number when there is none. */
export function quantile(figures: readonly number[], share: number): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN;
}

type Cell = string | number;

/** A table whose first columns are names, as many as `names`, and the others numbers. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[], names = 1): string {
  const colAligns = head.map((_, at) => (at < names ? ("left" as const) : ("right" as const)));
  const table = new Table({ style: { head: [], border: [] }, head: [...head], colAligns });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

export const rateOf = (perSecond: number) => Math.round(perSecond).toLocaleString("en");
