import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Metrics } from "../../ports/metrics.js";
import { COUNTERS, DURATIONS, type MetricDefinition } from "./names.js";

/** From a tenth of a millisecond to the longest deadline of a request, in seconds. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics that show themselves as Prometheus text. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Metrics of the closed lists in `names.ts`, each with all its labels. A name that is not listed counts in
 * `aisle_metrics_undeclared_total` and a label value that is not listed shows as `other`: a mistake in counting
 * fails no request, and nothing a caller sends can become a series.
 *
 * `process`: also memory, CPU, event loop and garbage collection of this process.
 */
export function createPrometheusMetrics(options: { process?: boolean } = {}): PrometheusMetrics {
  const registry = new Registry();
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  const undeclared = new Counter({
    name: "aisle_metrics_undeclared_total",
    help: "Counts and durations that came under a name nobody declared",
    registers: [registry],
  });
  const counters = byName(COUNTERS, (name, definition) => {
    const metric = { name: `aisle_${name}_total`, help: definition.help, registers: [registry] };
    const labelNames = Object.keys(definition.labels ?? {});
    const counter = new Counter({ ...metric, labelNames });
    return (by: number, labels: Labels) => counter.inc(listed(definition, labels), by);
  });
  const durations = byName(DURATIONS, (name, definition) => {
    const metric = { name: `aisle_${name.replace(/_ms$/, "")}_seconds`, help: definition.help, registers: [registry] };
    const labelNames = Object.keys(definition.labels ?? {});
    const histogram = new Histogram({ ...metric, labelNames, buckets: BUCKETS });
    return (ms: number, labels: Labels) => histogram.observe(listed(definition, labels), ms / 1000);
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    count(name, labels, by = 1) {
      const add = counters.get(name);
      // Counters only grow, and prom-client throws at what is no number.
      if (add === undefined || !(by >= 0) || by === Number.POSITIVE_INFINITY) undeclared.inc();
      else add(by, labels);
    },
    observe(name, ms, labels) {
      const add = durations.get(name);
      if (add === undefined || !Number.isFinite(ms)) undeclared.inc();
      else add(Math.max(0, ms), labels);
    },
  };
}

type Labels = Readonly<Record<string, string>> | undefined;

function byName<T>(
  definitions: Readonly<Record<string, MetricDefinition>>,
  make: (name: string, definition: MetricDefinition) => T,
): ReadonlyMap<string, T> {
  return new Map(Object.entries(definitions).map(([name, definition]) => [name, make(name, definition)]));
}

/** The declared labels and no others, each with a declared value or `other`. */
function listed(definition: MetricDefinition, labels: Labels): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [label, values] of Object.entries(definition.labels ?? {})) {
    const value = labels?.[label];
    shown[label] = value !== undefined && values.includes(value) ? value : "other";
  }
  return shown;
}
