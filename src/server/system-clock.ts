import { uptime } from "node:os";
import type { Metrics } from "../adapters/metrics.js";
import { ACCEPT_AFTER_MS, Clock, type ClockNews } from "../domain/clock.js";

interface ClockLog {
  info(line: string): void;
  warn(fields: object, line: string): void;
}

const LOOK_EVERY_MS = 1000;

/**
 * The clock of this process, over the clocks of its machine. Logs when the system clock jumps, and how the jump ends.
 */
export function createSystemClock(logger: ClockLog, metrics: Metrics): Clock {
  const tell = (news: ClockNews) => {
    if (news.kind === "back") return logger.info("the system clock is correct again");
    const fields = { seconds: Math.round(news.byMs / 1000) };
    if (news.kind === "accepted") return logger.warn(fields, "the system clock jumped; the new time was adopted");
    const minutes = ACCEPT_AFTER_MS / 60_000;
    logger.warn(fields, `the system clock jumped; the new time is ignored unless it lasts ${minutes} minutes`);
  };
  const clock = new Clock({
    system: Date.now,
    monotonic: () => performance.now(),
    uptime: () => uptime() * 1000,
    tell,
  });
  // A jump is noticed and logged even while nothing reads the time.
  setInterval(clock.idNow, LOOK_EVERY_MS).unref();
  metrics.watch?.("clock_difference_ms", () => clock.differenceMs());
  return clock;
}
