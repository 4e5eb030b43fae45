import { describe, expect, it } from "vitest";
import { createPrometheusMetrics, type PrometheusMetrics } from "../../../src/adapters/metrics/prometheus.js";
import { createScrapes, createWorkerMetrics, type WorkerMetrics } from "../../../src/server/workers/worker-metrics.js";

interface Process {
  readonly metrics: PrometheusMetrics;
  readonly asked: WorkerMetrics;
  /** Does not answer when it is asked what it has counted. */
  isBusy: boolean;
}

/** Processes whose messages arrive in the next turn. */
function openProcesses(count: number) {
  const all = new Set<Process>();
  const scrapes = createScrapes<Process>(all, (to, message) =>
    setImmediate(() => {
      if (message.kind === "counted") to.asked.counted(message.round, message.figures);
      if (message.kind !== "count" || to.isBusy) return;
      void to.metrics.figures().then((figures) => scrapes.take(to, message.round, figures));
    }),
  );
  const processes = Array.from({ length: count }, (_, n) => {
    const metrics = createPrometheusMetrics({ process: false });
    metrics.count("events_acknowledged", undefined, 10 ** n);
    const asked = createWorkerMetrics({ metrics, ask: (round) => scrapes.begin(one, round) });
    const one: Process = { metrics, asked, isBusy: false };
    all.add(one);
    return one;
  });
  const shown = async (process: Process) =>
    Number(/^aisle_events_acknowledged_total (\d+)$/m.exec(await process.asked.text())?.[1]);
  return { all, scrapes, processes, shown };
}

describe("metrics of several processes", () => {
  it("are the sums of all, whichever process is asked, and however many ask at once", async () => {
    const { processes, shown } = openProcesses(3);
    expect(await Promise.all([...processes, ...processes].map(shown))).toEqual(Array.from({ length: 6 }, () => 111));
  });

  it("leave out a process that does not answer in time", async () => {
    const { processes, shown } = openProcesses(3);
    const [first, second] = processes;
    if (first === undefined || second === undefined) throw new Error("there are three");
    second.isBusy = true;
    expect(await shown(first)).toBe(101);
  });

  it("do not wait for a process that has ended", async () => {
    const { all, scrapes, processes, shown } = openProcesses(2);
    const [first, second] = processes;
    if (first === undefined || second === undefined) throw new Error("there are two");
    second.isBusy = true;
    const showing = shown(first);
    await new Promise((resolve) => setImmediate(resolve));
    all.delete(second);
    scrapes.forget(second);
    expect(await showing).toBe(1);
  });

  it("are those of the process alone without a gatherer", async () => {
    const metrics = createPrometheusMetrics({ process: false });
    metrics.count("events_acknowledged", undefined, 7);
    const asked = createWorkerMetrics({ metrics, ask: () => undefined });
    expect(await asked.text()).toContain("aisle_events_acknowledged_total 7\n");
  });
});
