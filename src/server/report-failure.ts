import type { Metrics } from "../adapters/metrics.js";
import type { FailurePlace, ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";

/** Each place is logged at most once in this many milliseconds. */
const LOG_EVERY_MS = 60_000;

/**
 * Counts every failure and logs the first of each place and minute, since a failing source fails at each recommendation.
 * `unlogged` is the number of failures of the place since its last line.
 */
export function createReportFailure(
  logger: { error(fields: { place: FailurePlace; unlogged: number; error: unknown }, text: string): void },
  metrics: Metrics,
  monotonicNow: Now,
): ReportFailure {
  const logged = new Map<FailurePlace, { readonly at: number; unlogged: number }>();
  return (place, error) => {
    metrics.count("failures_passed_over", { place });
    const at = monotonicNow();
    const last = logged.get(place);
    if (last !== undefined && at - last.at < LOG_EVERY_MS) {
      last.unlogged++;
      return;
    }
    logged.set(place, { at, unlogged: 0 });
    logger.error({ place, unlogged: last?.unlogged ?? 0, error }, "a background step failed");
  };
}
