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
  private readonly okEachSecond: number[];
  private otherInTime = 0;
  private refusedWithoutRetryAfter = 0;
  private readonly ok = createHistogram();
  private readonly other = createHistogram();
  private readonly lateness = createHistogram();

  constructor(
    private readonly startAt: number,
    private readonly seconds: number,
  ) {
    this.okEachSecond = Array.from({ length: Math.ceil(seconds) }, () => 0);
  }

  left(dueAt: number, now: number): void {
    if (dueAt >= this.startAt) record(this.lateness, now - dueAt);
  }

  answered({ status, hasRetryAfter }: Answer, dueAt: number, now: number): void {
    if (dueAt < this.startAt) {
      this.warmAnswers++;
      return;
    }
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const second = Math.floor((now - this.startAt) / 1000);
    const inTime = now - this.startAt < this.seconds * 1000;
    if (status === 200) {
      record(this.ok, now - dueAt);
      if (inTime) this.okEachSecond[second] = (this.okEachSecond[second] ?? 0) + 1;
      return;
    }
    record(this.other, now - dueAt);
    if (inTime) this.otherInTime++;
    if ((status === 503 || status === 429) && !hasRetryAfter) this.refusedWithoutRetryAfter++;
  }

  report(cpu: NodeJS.CpuUsage): LoadReport {
    const { timeouts, lost, unsent, okEachSecond, refusedWithoutRetryAfter, warmAnswers } = this;
    const answers = [...this.statuses.values()].reduce((sum, count) => sum + count, warmAnswers);
    return {
      okPerSecond: okEachSecond.reduce((sum, count) => sum + count, 0) / this.seconds,
      otherPerSecond: this.otherInTime / this.seconds,
      okEachSecond,
      statuses: Object.fromEntries(this.statuses),
      warmAnswers,
      refusedWithoutRetryAfter,
      timeouts,
      lost,
      unsent,
      ok: latencyOf(this.ok),
      other: latencyOf(this.other),
      lateness: latencyOf(this.lateness),
      cpuMicros: (cpu.user + cpu.system) / Math.max(1, answers),
    };
  }
}

/** A histogram holds whole numbers from 1: microseconds. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(ms * 1000)));
}

function latencyOf(histogram: RecordableHistogram): Latency {
  if (histogram.count === 0) return { mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 };
  const at = (percentile: number) => histogram.percentile(percentile) / 1000;
  const { mean, max } = histogram;
  return { mean: mean / 1000, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: max / 1000 };
}
