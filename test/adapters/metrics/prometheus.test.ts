import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COUNTERS, DURATIONS } from "../../../src/adapters/metrics/names.js";
import { createPrometheusMetrics } from "../../../src/adapters/metrics/prometheus.js";

const open = () => createPrometheusMetrics({ process: false });

/** Names given to `metrics.count(…)` or `metrics.observe(…)` as literals anywhere in src. */
function namesUsed(call: "count" | "observe"): Set<string> {
  const src = resolve(import.meta.dirname, "../../../src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.startsWith("gen"),
  );
  const names = new Set<string>();
  for (const file of files) {
    const calls = readFileSync(join(src, file), "utf8").matchAll(new RegExp(`metrics\\??\\.${call}\\(([^,)]*)`, "g"));
    for (const [, first = ""] of calls) for (const [, name = ""] of first.matchAll(/"(\w+)"/g)) names.add(name);
  }
  return names;
}

describe("the lists of names", () => {
  it("hold every counter the code uses, and no other", () => {
    expect([...namesUsed("count")].sort()).toEqual(Object.keys(COUNTERS).sort());
  });

  it("hold every duration the code uses, and no other", () => {
    expect([...namesUsed("observe")].sort()).toEqual(Object.keys(DURATIONS).sort());
  });
});

describe("the text", () => {
  it("shows a counter with its help, its labels and what was added", async () => {
    const metrics = open();
    metrics.count("facade_requests", { operation: "trace", status: "200" });
    metrics.count("facade_requests", { operation: "trace", status: "200" }, 2);
    metrics.count("events_stored");
    const text = await metrics.text();
    expect(text).toContain(`# HELP aisle_events_stored_total ${COUNTERS.events_stored?.help}\n`);
    expect(text).toContain('aisle_facade_requests_total{operation="trace",status="200"} 3\n');
    expect(text).toContain("aisle_events_stored_total 1\n");
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

  it("shows what was not declared as such, and fails nobody", async () => {
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
        for (const name of [secret, ...Object.keys(COUNTERS)])
          metrics.count(name, { [label]: secret, operation: secret, source: secret, table: secret }, amount);
        for (const name of [secret, ...Object.keys(DURATIONS)])
          metrics.observe(name, amount, { [label]: secret, operation: secret });
        expect(await metrics.text()).not.toContain("secret-");
      }),
      { numRuns: 30 },
    );
  });

  it("shows the process too unless told not to", async () => {
    expect(await createPrometheusMetrics().text()).toContain("process_cpu_seconds_total");
    expect(await open().text()).not.toContain("process_cpu_seconds_total");
  });
});
