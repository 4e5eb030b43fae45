/**
 * CPU of a durable POST /trace with all its effects beside the reference server's, which only appends what was sent.
 * Servers run on the second processor and the load on the first; passes alternate.
 */
import { cpuOf, inTurns, medianOf, type Pass, passOf, rateOf, tableOf } from "../passes.js";
import { processFigures } from "../process-figures.js";
import { FORMS } from "./forms.js";
import type { MeasuredServer } from "./reference-server.js";

/** V8 compiles what is called often in stages: a server that has seen fewer requests costs up to twice as much. */
const WARM_REQUESTS = 60_000;
/** On a machine that is busy otherwise they are not waited for any longer, in passes of two seconds. */
const WARM_PASSES = 15;

export interface ReferenceRow extends Pass {
  readonly form: string;
  readonly connections: number;
  readonly server: string;
  /** CPU to that of the first server with the same form and connections. */
  readonly ratio: number;
  /** Of the passes: how much the dearest cost more than the cheapest. */
  readonly spread: number;
  readonly residentMib: number;
}

/** Figures are those of the pass with the median CPU. The first server is what the others are compared with. */
export async function measureBeside(
  servers: readonly MeasuredServer[],
  plan: { readonly connections: readonly number[]; readonly seconds: number; readonly passes: number },
): Promise<ReferenceRow[]> {
  const rows: ReferenceRow[] = [];
  for (const [form, bodies] of Object.entries(FORMS)) {
    const pass = ({ pid, traceUrl }: MeasuredServer, connections: number, seconds: number) =>
      passOf(pid, { url: traceUrl, bodies, connections, seconds });
    for (const server of servers)
      for (let n = 0, answered = 0; n < WARM_PASSES && answered < WARM_REQUESTS; n++)
        answered += 2 * (await pass(server, 64, 2)).perSecond;
    for (const connections of plan.connections) {
      const passes = await inTurns(servers, plan.passes, (server) => pass(server, connections, plan.seconds));
      const reference = medianOf(passes[0] ?? [], cpuOf).cpuMicros;
      for (const [at, { name, pid }] of servers.entries()) {
        const all = passes[at] ?? [];
        const median = medianOf(all, cpuOf);
        const spread = Math.max(...all.map(cpuOf)) / Math.min(...all.map(cpuOf)) - 1;
        const residentMib = (await processFigures(pid)).residentBytes / 2 ** 20;
        const ratio = median.cpuMicros / reference;
        rows.push({ form, connections, server: name, ...median, ratio, spread, residentMib });
      }
    }
  }
  return rows;
}

export function referenceTable(rows: readonly ReferenceRow[]): string {
  return tableOf(
    ["", "form", "connections", "CPU µs", "ratio", "spread", "a second", "p50 ms", "p99 ms", "MiB", "failed"],
    rows.map(
      ({ server, form, connections, cpuMicros, ratio, spread, perSecond, p50Ms, p99Ms, residentMib, failed }) => [
        ...[server, form, connections, cpuMicros.toFixed(1), ratio.toFixed(2), `${Math.round(spread * 100)} %`],
        ...[rateOf(perSecond), p50Ms.toFixed(1), p99Ms.toFixed(1), Math.round(residentMib), failed],
      ],
    ),
    2,
  );
}
