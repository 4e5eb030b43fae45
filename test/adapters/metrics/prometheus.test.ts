import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COUNTERS, DURATIONS, rpcDefinitions, VALUES } from "../../../src/adapters/metrics/names.js";
import { createPrometheusMetrics } from "../../../src/adapters/metrics/prometheus.js";
import { RUNS } from "../../fixtures/runs.js";

const METHOD = "aisle.v1.EventService/RecordEvent";
const open = () => createPrometheusMetrics({ process: false, rpcMethods: [METHOD] });
const rpc = rpcDefinitions([METHOD]);

/** Every name of a label there is. */
const LABELS = [COUNTERS, DURATIONS, rpc.counters, rpc.durations].flatMap((all) =>
  Object.values(all).flatMap(({ labels = {} }) => Object.keys(labels)),
);

/** Names given to `metrics.count(…)` or `metrics.observe(…)` as literals anywhere in src. */
function namesUsed(call: "count" | "observe" | "watch"): Set<string> {
  const src = resolve(import.meta.dirname, "../../../src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.startsWith("gen"),
  );
  const names = new Set<string>();
  for (const file of files) {
    const calls = readFileSync(join(src, file), "utf8").matchAll(
      new RegExp(`metrics\\??\\.${call}(?:\\?\\.)?\\(([^,)]*)`, "g"),
    );
    for (const [, first = ""] of calls) for (const [, name = ""] of first.matchAll(/"(\w+)"/g)) names.add(name);
  }
  return names;
}

describe("the lists of metric names", () => {
  it("hold every counter that the code uses, and no other", () => {
    expect([...namesUsed("count")].sort()).toEqual([...Object.keys(COUNTERS), ...Object.keys(rpc.counters)].sort());
  });

  it("hold every duration that the code uses, and no other", () => {
    expect([...namesUsed("observe")].sort()).toEqual([...Object.keys(DURATIONS), ...Object.keys(rpc.durations)].sort());
  });

  it("hold every gauge that the code uses, and no other", () => {
    expect([...namesUsed("watch")].sort()).toEqual(Object.keys(VALUES).sort());
  });
});

describe("the text of /metrics", () => {
  it("shows a counter with its help, its labels and what was added", async () => {
    const metrics = open();
    metrics.count("facade_requests", { operation: "trace", status: "200" });
    metrics.count("facade_requests", { operation: "trace", status: "200" }, 2);
    metrics.count("events_deduplicated");
    const text = await metrics.text();
    expect(text).toContain(`# HELP aisle_events_deduplicated_total ${COUNTERS.events_deduplicated?.help}\n`);
    expect(text).toContain('aisle_facade_requests_total{operation="trace",status="200"} 3\n');
    expect(text).toContain("aisle_events_deduplicated_total 1\n");
  });

  it("shows durations in seconds", async () => {
    const metrics = open();
    metrics.observe("store_commit", 2);
    metrics.observe("facade_request_ms", 40, { operation: "recommend" });
    const text = await metrics.text();
    expect(text).toContain("aisle_store_commit_seconds_sum 0.002\n");
    expect(text).toContain('aisle_facade_request_seconds_bucket{le="0.05",operation="recommend"} 1\n');
    expect(text).toContain('aisle_facade_request_seconds_bucket{le="0.025",operation="recommend"} 0\n');
  });

  it("shows a metric that was not declared, and throws no error", async () => {
    const metrics = open();
    metrics.count("no_such_counter");
    metrics.count("events_stored", undefined, Number.NaN);
    metrics.observe("no_such_duration", 1);
    expect(await metrics.text()).toContain("aisle_metrics_undeclared_total 3\n");
  });

  it("never shows a label, a value or a name that was not declared", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.double(), async (marker, label, amount) => {
        const secret = `secret-${marker}`;
        const metrics = open();
        const everyLabel = Object.fromEntries(LABELS.map((name) => [name, secret]));
        for (const name of [secret, ...Object.keys({ ...COUNTERS, ...rpc.counters })])
          metrics.count(name, { [label]: secret, ...everyLabel }, amount);
        for (const name of [secret, ...Object.keys({ ...DURATIONS, ...rpc.durations })])
          metrics.observe(name, amount, { [label]: secret, ...everyLabel });
        for (const name of [secret, ...Object.keys(VALUES)]) metrics.watch?.(name, () => amount);
        expect(await metrics.text()).not.toContain("secret-");
      }),
      { numRuns: RUNS.some },
    );
  });

  it("shows 0 for counters that were never increased, for each value of a single label", async () => {
    const text = await open().text();
    expect(text).toContain("aisle_events_acknowledged_total 0\n");
    expect(text).toContain('aisle_events_stored_total{action="order"} 0\n');
    expect(text).toContain('aisle_shed_total{reason="queue_age"} 0\n');
    expect(text).not.toContain('aisle_shed_total{reason="other"}');
  });

  it('shows unknown actions and unknown RPCs as "other"', async () => {
    const metrics = open();
    metrics.count("events_stored", { action: "wishlist" });
    metrics.count("rpc_calls", { method: "aisle.v1.EventService/Made", code: "ok" });
    metrics.count("rpc_calls", { method: METHOD, code: "ok" }, 2);
    const text = await metrics.text();
    expect(text).toContain('aisle_events_stored_total{action="other"} 1\n');
    expect(text).toContain('aisle_rpc_calls_total{method="other",code="ok"} 1\n');
    expect(text).toContain(`aisle_rpc_calls_total{method="${METHOD}",code="ok"} 2\n`);
  });

  it("shows a consistent state: metrics that change together are shown together", async () => {
    const metrics = open();
    const shown = metrics.text();
    for (let n = 0; n < 100; n++) {
      metrics.count("events_acknowledged");
      await Promise.resolve();
      metrics.count("events_deduplicated");
    }
    expect(await shown).toContain("aisle_events_acknowledged_total 0\n");
    expect(await shown).toContain("aisle_events_deduplicated_total 0\n");
  });

  it("reads gauges when it is asked for, and shows times in seconds", async () => {
    const metrics = open();
    let works = 3;
    metrics.watch?.("store_queue_works", () => works);
    metrics.watch?.("store_queue_age_ms", () => 250);
    works = 4;
    const text = await metrics.text();
    expect(text).toContain("aisle_store_queue_works 4\n");
    expect(text).toContain("aisle_store_queue_age_seconds 0.25\n");
  });

  it("includes process metrics unless they are turned off", async () => {
    expect(await createPrometheusMetrics().text()).toContain("process_cpu_seconds_total");
    expect(await open().text()).not.toContain("process_cpu_seconds_total");
  });
});
