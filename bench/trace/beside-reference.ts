/**
 * CPU of a durable POST /trace with all its effects beside the reference server's, which only appends what was sent.
 * Servers run on the second processor and the load on the first; passes alternate, so that what else the machine does
 * meets both. The CPU is that of the server's process with all its threads, for each 200.
 */
import Table from "cli-table3";
import { load } from "../open-loop/load.js";
import { LOAD_CPU } from "../open-loop/pinning.js";
import { processFigures } from "../process-figures.js";
import { FORMS } from "./forms.js";
import type { MeasuredServer } from "./reference-server.js";

/** V8 compiles what is called often in stages: a server that has seen fewer requests costs up to twice as much. */
const WARM_REQUESTS = 60_000;
/** On a machine that is busy otherwise they are not waited for any longer, in passes of two seconds. */
const WARM_PASSES = 15;

interface Pass {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

export interface ReferenceRow extends Pass {
  readonly form: string;
  readonly connections: number;
  readonly server: string;
  /** CPU to that of the first server with the same form and connections. */
  readonly ratio: number;
  /** Of the passes: how much the dearest cost more than the cheapest. */
  readonly spread: number;
  readonly residentMiB: number;
}

/** Figures are those of the pass with the median CPU. The first server is what the others are compared with. */
export async function measureBeside(
  servers: readonly MeasuredServer[],
  plan: { readonly connections: readonly number[]; readonly seconds: number; readonly passes: number },
): Promise<ReferenceRow[]> {
  const rows: ReferenceRow[] = [];
  for (const form of Object.keys(FORMS)) {
    for (const server of servers) await warm(server, form);
    for (const connections of plan.connections) {
      const passes = servers.map((): Pass[] => []);
      for (let n = 0; n < plan.passes; n++) {
        for (const [at, server] of servers.entries())
          passes[at]?.push(await pass(server, form, connections, plan.seconds));
      }
      let reference = 0;
      for (const [at, server] of servers.entries()) {
        const sorted = [...(passes[at] ?? [])].sort((a, b) => a.cpuMicros - b.cpuMicros);
        const median = sorted[Math.floor(sorted.length / 2)];
        if (median === undefined) continue;
        if (at === 0) reference = median.cpuMicros;
        const { residentBytes } = await processFigures(server.pid);
        rows.push({
          form,
          connections,
          server: server.name,
          ...median,
          ratio: median.cpuMicros / reference,
          spread: (sorted.at(-1)?.cpuMicros ?? 0) / (sorted[0]?.cpuMicros ?? 1) - 1,
          residentMiB: residentBytes / 2 ** 20,
        });
      }
    }
  }
  return rows;
}

async function warm(server: MeasuredServer, form: string): Promise<void> {
  let answered = 0;
  for (let n = 0; n < WARM_PASSES && answered < WARM_REQUESTS; n++)
    answered += 2 * (await pass(server, form, 64, 2)).perSecond;
}

async function pass(server: MeasuredServer, form: string, connections: number, seconds: number): Promise<Pass> {
  const before = await processFigures(server.pid);
  const report = await load({ url: server.traceUrl, bodies: FORMS[form] ?? [], connections, seconds }, LOAD_CPU);
  const after = await processFigures(server.pid);
  const ok = report.statuses["200"] ?? 0;
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  return {
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, ok),
    perSecond: report.okPerSecond,
    p50Ms: report.ok.p50,
    p99Ms: report.ok.p99,
    failed: answers - ok + report.lost + report.timeouts,
  };
}

export function referenceTable(rows: readonly ReferenceRow[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: ["form", "connections", "", "CPU µs", "ratio", "spread", "a second", "p50 ms", "p99 ms", "MiB", "failed"],
    colAligns: ["left", "right", "left", "right", "right", "right", "right", "right", "right", "right", "right"],
  });
  for (const row of rows) {
    const share = `${Math.round(row.spread * 100)} %`;
    const rate = Math.round(row.perSecond).toLocaleString("en");
    const times = [row.p50Ms.toFixed(1), row.p99Ms.toFixed(1)];
    const cpu = [row.cpuMicros.toFixed(1), row.ratio.toFixed(2), share];
    table.push([
      row.form,
      row.connections,
      row.server,
      ...cpu,
      rate,
      ...times,
      Math.round(row.residentMiB),
      row.failed,
    ]);
  }
  return table.toString();
}
