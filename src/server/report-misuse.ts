import type { Now } from "../domain/clock.js";

/** At most one line in this many milliseconds. */
const LOG_EVERY_MS = 60_000;

/** Logs that connections of the RPC port were closed for misuse. The address is personal data, so it is left out. */
export function createReportMisuse(
  logger: { warn(fields: { unlogged: number }, text: string): void },
  monotonicNow: Now,
): () => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return () => {
    const at = monotonicNow();
    if (at - loggedAt < LOG_EVERY_MS) {
      unlogged++;
      return;
    }
    logger.warn({ unlogged }, "closed an RPC connection for misuse");
    loggedAt = at;
    unlogged = 0;
  };
}
