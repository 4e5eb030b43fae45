import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Answer } from "./answer-reader.js";
import type { Latency, LoadReport } from "./plan.js";

/** Counts what a load sees of requests due from `startAt`, for `seconds`. Times are milliseconds of one clock. */
export class Tally {
  timeouts = 0;
  lost = 0;
  unsent = 0;
  private warmAnswers = 0;
  private readonly statuses = new Map<number, number>();
  private okInTime = 0;
  private refusedWithoutRetryAfter = 0;
  private readonly ok = createHistogram();
  private readonly other = createHistogram();
  private readonly lateness = createHistogram();

  constructor(
    private readonly startAt: number,
    private readonly seconds: number,
  ) {}

  left(dueAt: number, now: number): void {
    if (dueAt >= this.startAt) record(this.lateness, now - dueAt);
  }

  answered({ status, hasRetryAfter }: Answer, dueAt: number, now: number): void {
    if (dueAt < this.startAt) {
      this.warmAnswers++;
      return;
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 200) {
      record(this.ok, now - dueAt);
      if (now - this.startAt < this.seconds * 1000) this.okInTime++;
      return;
    }
    record(this.other, now - dueAt);
    if ((status === 503 || status === 429) && !hasRetryAfter) this.refusedWithoutRetryAfter++;
  }

  report(): LoadReport {
    const { timeouts, lost, unsent, refusedWithoutRetryAfter, warmAnswers } = this;
    return {
      okPerSecond: this.okInTime / this.seconds,
      statuses: Object.fromEntries(this.statuses),
      warmAnswers,
      refusedWithoutRetryAfter,
      timeouts,
      lost,
      unsent,
      ok: latencyOf(this.ok),
      other: latencyOf(this.other),
      lateness: latencyOf(this.lateness),
    };
  }
}

/** A histogram holds whole numbers from 1: microseconds. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1000)));
}

function latencyOf(histogram: RecordableHistogram): Latency {
  if (histogram.count === 0) return { p50: 0, p99: 0, p999: 0, max: 0 };
  const at = (percentile: number) => histogram.percentile(percentile) / 1000;
  return { p50: at(50), p99: at(99), p999: at(99.9), max: histogram.max / 1000 };
}
