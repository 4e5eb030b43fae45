import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createPrometheusMetrics } from "../../src/adapters/metrics/prometheus.js";
import { RPC_METHODS } from "../../src/services/telemetry/rpc-methods.js";
import { listAt, textAt } from "./deploy-check.js";
import { unknownNames } from "./settings.js";

const deploy = join(import.meta.dirname, "../../deploy");
const read = (path: string) => readFileSync(join(deploy, path), "utf8");

const dashboard: unknown = JSON.parse(read("grafana/aisle.json"));
const panels = listAt(dashboard, "panels");
const rules = listAt(parse(read("prometheus/alerts.yaml")), "groups").flatMap((group) => listAt(group, "rules"));
const expressions = [
  ...panels.flatMap((panel) =>
    listAt(panel, "targets").map((target) => [textAt(panel, "title"), textAt(target, "expr")]),
  ),
  ...rules.map((rule) => [textAt(rule, "alert"), textAt(rule, "expr")]),
].map(([name = "", expression = ""]) => [name, expression.replaceAll("$__rate_interval", "5m")] as const);

/** Every series a server shows, and the names of its labels. */
async function shownSeries(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = createPrometheusMetrics({ rpcMethods: RPC_METHODS });
  const [method = ""] = RPC_METHODS;
  // What has several labels is shown from the first time on.
  metrics.count("facade_requests", { operation: "trace", status: "200" });
  metrics.observe("facade_request_ms", 1, { operation: "trace" });
  metrics.count("rpc_calls", { method, code: "ok" });
  metrics.observe("rpc_call_ms", 1, { method });
  const text = await metrics.text();
  const series = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_\d]+)(?:\{([^}]*)\})? /gim)) {
    const known = series.get(name) ?? new Set(["instance", "job"]);
    for (const [, label = ""] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series.set("up", new Set(["instance", "job"]));
}

/** What an expression asks for, and where it is none. */
function partsOf(expression: string) {
  const names: string[] = [];
  const labels: string[] = [];
  let errors = 0;
  const cursor = parser.parse(expression).cursor();
  do {
    const text = expression.slice(cursor.from, cursor.to);
    if (cursor.type.isError) errors++;
    if (cursor.name === "Identifier") names.push(text);
    if (cursor.name === "LabelName") labels.push(text);
  } while (cursor.next());
  return { names, labels, errors };
}

describe("the dashboard and the alerts", () => {
  it.each(expressions)("query in PromQL metrics that a server shows: %s: %s", async (_, expression) => {
    const series = await shownSeries();
    const { names, labels, errors } = partsOf(expression);
    expect(errors).toBe(0);
    expect(names.filter((name) => !series.has(name))).toEqual([]);
    const known = new Set(names.flatMap((name) => [...(series.get(name) ?? [])]));
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  it("have unique names of panels and alerts", () => {
    for (const names of [panels.map((panel) => textAt(panel, "title")), rules.map((rule) => textAt(rule, "alert"))])
      expect(new Set(names).size).toBe(names.length);
  });

  it("fail this check with an unknown metric, and with invalid PromQL", () => {
    expect(partsOf("rate(aisle_x_total[5m])").names).toEqual(["aisle_x_total"]);
    expect(partsOf("rate(aisle_x_total[5m]").errors).toBeGreaterThan(0);
  });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

it.skipIf(!hasSystemd)("systemd accepts the unit file (needs systemd-analyze)", () => {
  const { stderr } = spawnSync("systemd-analyze", ["verify", join(deploy, "aisle.service")], { encoding: "utf8" });
  // The programs it starts are not where they will be.
  const faults = stderr
    .split("\n")
    .filter((line) => line.includes("aisle.service") && !line.includes("not executable"));
  expect(faults).toEqual([]);
});

it.skipIf(!hasSystemd)("systemd-analyze finds little exposure in the unit file (needs systemd-analyze)", () => {
  const args = ["security", "--offline=yes", "--no-pager", join(deploy, "aisle.service")];
  const { stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  expect(Number(/exposure level for aisle\.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2);
});

it("the unit file filters system calls and passes secrets as credentials that the server has a setting for", () => {
  const unit = read("aisle.service");
  expect(unit).toMatch(/^SystemCallFilter=@system-service\b/m);
  const credentials = [...unit.matchAll(/LoadCredential=([\w.-]+):/g)].map(([, name]) => name);
  const used = [...unit.matchAll(/(AISLE_\w+)=%d\/([\w.-]+)/g)];
  expect(used.map(([, , name]) => name)).toEqual(credentials);
  expect(credentials.length).toBeGreaterThan(0);
  expect(
    unknownNames(
      used.map(([, name]) => name ?? ""),
      [],
    ),
  ).toEqual([]);
});

it("the unit gives files that root left in the store to the service's user, and tries failed starts without end", () => {
  const unit = read("aisle.service");
  const [, directory] = /^StateDirectory=(.+)$/m.exec(unit) ?? [];
  const path = `/var/lib/private/${directory}`;
  expect(unit).toContain(`\nExecStartPre=+/usr/bin/chown -R --reference=${path} ${path}\n`);
  expect(unit).toMatch(/^DynamicUser=yes$/m);
  expect(unit).toMatch(/^Restart=always$/m);
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
});
