/** Counters and timings for the operator. Labels are closed sets; never ids, never personal data. */
export interface Metrics {
  /** Adds `by` (1) to the counter `name`. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Records a duration in milliseconds. */
  observe(name: string, ms: number, labels?: Readonly<Record<string, string>>): void;
  /** Registers a gauge that calls `read` at each scrape. Absent where metrics are not exported. */
  watch?(name: string, read: () => number): void;
}
