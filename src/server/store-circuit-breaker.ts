import type { Now } from "../domain/clock.js";
import { Unavailable } from "../domain/errors.js";

/** Waits for reads of the store, up to the time its callers can wait. */
export interface CircuitBreaker {
  /** Rejects with Unavailable when the read has no answer in time, or while the circuit is open. */
  wait<T>(read: () => Promise<T>): Promise<T>;
  /** Rejects with Unavailable while the circuit is open; otherwise waits as long as it takes. */
  waitLong<T>(read: () => Promise<T>): Promise<T>;
}

/**
 * A read has `waitMs` for its answer. If the store answers no read during that time, the circuit opens: reads fail at
 * once for `restMs`. Then one caller tries again; a late answer closes the circuit earlier.
 */
export function createCircuitBreaker(deps: {
  readonly waitMs: number;
  readonly restMs: number;
  readonly monotonicNow: Now;
}): CircuitBreaker {
  const { waitMs, restMs, monotonicNow } = deps;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let awayUntil = Number.NEGATIVE_INFINITY;

  const answered = () => {
    answeredAt = monotonicNow();
    awayUntil = Number.NEGATIVE_INFINITY;
  };
  const unanswered = (begunAt: number) => {
    if (answeredAt < begunAt) awayUntil = monotonicNow() + restMs;
  };

  const begin = <T>(read: () => Promise<T>): Promise<T> => {
    if (monotonicNow() < awayUntil) throw new Unavailable("The store does not answer");
    const begunAt = monotonicNow();
    const reading = read();
    reading.then(answered, (error: unknown) => (error instanceof Unavailable ? unanswered(begunAt) : answered()));
    return reading;
  };

  const wait: CircuitBreaker["wait"] = async (read) => {
    const begunAt = monotonicNow();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        unanswered(begunAt);
        reject(new Unavailable(`The store did not answer within ${waitMs} ms`));
      }, waitMs);
    });
    try {
      return await Promise.race([begin(read), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { wait, waitLong: async (read) => begin(read) };
}

/** Timeouts of a remote store, ms. */
export interface RemoteStore {
  /** An event that is not stored by then is rejected, as is a status request. */
  readonly answerMs: number;
  /** Recommendations are then made without the visitor's stored history. */
  readonly historyMs: number;
  /** Then the cached app or frame serves. */
  readonly settingsMs: number;
}
