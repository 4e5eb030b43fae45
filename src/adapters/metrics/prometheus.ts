import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../metrics.js";
import { COUNTERS, DURATIONS, rpcDefinitions, VALUES } from "./names.js";

/** From a tenth of a millisecond to the longest deadline of a request, in seconds. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics in the Prometheus text format. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string;
  /** All counters as they are at the time of the call. */
  text(): Promise<string>;
}

export interface PrometheusOptions {
  /** Also memory, CPU, event loop and garbage collection of this process. */
  readonly process?: boolean;
  /** Names of all RPCs, such as `aisle.v1.EventService/RecordEvent`. */
  readonly rpcMethods?: readonly string[];
}

/**
 * Metrics of the closed lists in `names.ts`, each with all its labels. An unlisted name counts in
 * `aisle_metrics_undeclared_total`, and an unlisted label value shows as `other`. So a mistake in counting fails no
 * request, and no value of a caller becomes a series.
 *
 * Counts stay here until a scrape. Then prom-client gets them all in one turn, so that related counts agree.
 */
export function createPrometheusMetrics(options: PrometheusOptions = {}): PrometheusMetrics {
  const registry = new Registry();
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  const rpc = rpcDefinitions(options.rpcMethods ?? []);
  let undeclared = 0;
  new Counter({
    name: "aisle_metrics_undeclared_total",
    help: "Counts and durations that came under a name nobody declared",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(undeclared);
    },
  });
  const counters = byName({ ...COUNTERS, ...rpc.counters }, (name, definition) => counted(registry, name, definition));
  const durations = byName({ ...DURATIONS, ...rpc.durations }, (name, definition) => timed(registry, name, definition));
  const values = byName(VALUES, (name, { help }) => {
    const shown: { read: () => number } = { read: () => 0 };
    new Gauge({
      name: `aisle_${name.replace(/_ms$/, "_seconds")}`,
      help,
      registers: [registry],
      collect() {
        this.set(name.endsWith("_ms") ? shown.read() / 1000 : shown.read());
      },
    });
    return shown;
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    count(name, labels, by = 1) {
      const add = counters.get(name);
      // Counters only grow.
      if (add === undefined || !(by >= 0) || by === Number.POSITIVE_INFINITY) undeclared++;
      else add(by, labels);
    },
    observe(name, ms, labels) {
      const add = durations.get(name);
      if (add === undefined || !Number.isFinite(ms)) undeclared++;
      else add(Math.max(0, ms), labels);
    },
    watch(name, read) {
      const shown = values.get(name);
      if (shown === undefined) undeclared++;
      else shown.read = read;
    },
  };
}

function counted(registry: Registry, name: string, definition: MetricDefinition) {
  const sets = new LabelSets(definition);
  const counts = new Float64Array(sets.size);
  new Counter({
    name: `aisle_${name}_total`,
    help: definition.help,
    labelNames: Object.keys(definition.labels ?? {}),
    registers: [registry],
    collect() {
      this.reset();
      for (const [number, count] of counts.entries())
        if (count > 0 || sets.isShownAtZero(number)) this.inc(sets.labelsOf(number), count);
    },
  });
  return (by: number, labels: Labels | undefined) => {
    const number = sets.numberOf(labels);
    counts[number] = (counts[number] ?? 0) + by;
  };
}

function timed(registry: Registry, name: string, definition: MetricDefinition) {
  const sets = new LabelSets(definition);
  const histogram = new Histogram({
    name: `aisle_${name.replace(/_ms$/, "")}_seconds`,
    help: definition.help,
    labelNames: Object.keys(definition.labels ?? {}),
    buckets: BUCKETS,
    registers: [registry],
  });
  const one = (number: number) => histogram.labels(sets.labelsOf(number));
  const known: (ReturnType<typeof one> | undefined)[] = Array.from({ length: sets.size }, () => undefined);
  return (ms: number, labels: Labels | undefined) => {
    const number = sets.numberOf(labels);
    known[number] ??= one(number);
    known[number].observe(ms / 1000);
  };
}

function byName<D, T>(
  definitions: Readonly<Record<string, D>>,
  make: (name: string, definition: D) => T,
): ReadonlyMap<string, T> {
  return new Map(Object.entries(definitions).map(([name, definition]) => [name, make(name, definition)]));
}

/** One metric: its help, and each label with its allowed values. Any other value is shown as `other`. */
export interface MetricDefinition {
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined;
}

export type Labels = Readonly<Record<string, string>>;

const OTHER = "other";

interface Label {
  readonly name: string;
  /** Numbers of the values; an unknown value has the number of `other`. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly values: readonly string[];
  readonly other: number;
  /** Number of combinations of the labels after it. */
  readonly stride: number;
}

/**
 * Numbers all combinations of a metric's labels. A caller's value becomes a number, so nothing it sends can become a
 * series. Counting is an addition in an array, where prom-client builds a text each time.
 */
class LabelSets {
  readonly size: number;
  private readonly labels: readonly Label[];
  private readonly declared: number;

  constructor(definition: MetricDefinition) {
    let stride = 1;
    let declared = 1;
    const labels: Label[] = [];
    for (const [name, known] of Object.entries(definition.labels ?? {}).reverse()) {
      const values = [...new Set([...known, OTHER])];
      const numbers = new Map(values.map((value, n) => [value, n]));
      labels.unshift({ name, values, numbers, other: values.indexOf(OTHER), stride });
      stride *= values.length;
      declared *= known.length;
    }
    this.labels = labels;
    this.size = stride;
    this.declared = declared;
  }

  /** The number of these labels: exactly the declared ones, each with a declared value or `other`. */
  numberOf(given: Labels | undefined): number {
    let number = 0;
    for (const { name, numbers, other, stride } of this.labels) {
      const value = given?.[name];
      number += (value === undefined ? other : (numbers.get(value) ?? other)) * stride;
    }
    return number;
  }

  labelsOf(number: number): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const { name, values, stride } of this.labels)
      shown[name] = values[Math.floor(number / stride) % values.length] ?? OTHER;
    return shown;
  }

  /** Whether the combination is shown before its first count: a single label is, so that an alert sees a zero. */
  isShownAtZero(number: number): boolean {
    return this.labels.length === 0 || (this.labels.length === 1 && number < this.declared);
  }
}
