import type { Now } from "../domain/clock.js";
import { Unavailable } from "../domain/errors.js";

/** Waits for reads of the store, but not for longer than their callers can do without them. */
export interface CircuitBreaker {
  /** Rejects with Unavailable when the read has no answer in time, or when nobody is answered now. */
  wait<T>(read: () => Promise<T>): Promise<T>;
  /** Rejects with Unavailable when nobody is answered now; else waits as long as it takes. */
  waitLong<T>(read: () => Promise<T>): Promise<T>;
}

/**
 * A read has `waitMs` to be answered. If the store answers nobody during that time, reads fail at once for `restMs`. Then one
 * caller tries whether it is back; a late answer proves that earlier.
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

/** How long answers of a remote store may take, ms. */
export interface RemoteStore {
  /** A single event that is not stored by then is refused, as is a question for a visitor's status. */
  readonly answerMs: number;
  /** Recommendations are made without a visitor's stored history that was not read by then. */
  readonly historyMs: number;
  /** A remembered app or frame serves when it was not read again by then. */
  readonly settingsMs: number;
}
