/** How many calls may wait for their answers at one time. */
export interface AdmissionLimits {
  /** So many always may. */
  readonly least: number;
  /** More never may. */
  readonly most: number;
  /** Between the two, as many as are answered in so many milliseconds. */
  readonly waitMs: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = { least: 1000, most: 10_000, waitMs: 500 };

export interface Admission {
  /** Whether one more call would wait for too long. */
  isFull(): boolean;
  enter(): void;
  leave(): void;
  /** Calls between `enter` and `leave`. */
  readonly waiting: number;
}

const WINDOW_MS = 100;
/** What the last window counts for in the rate, while calls are many. */
const NEWEST_SHARE = 0.2;

/**
 * Lets in as many calls as are answered in `waitMs`, so that those let in wait for about that long at the most, whatever
 * the machine and the store can do (Little's law: calls waiting = calls a second x seconds each waits). To go by the age
 * of the oldest would come too late: when everybody is refused it stays what it was until all have been answered.
 *
 * How many are answered is learnt while many wait; while few do it shows what is asked for and not what can be done, and
 * only raises what was learnt. A store that stands still ends with `least` calls let in.
 */
export function createAdmission(now: () => number, { least, most, waitMs }: AdmissionLimits): Admission {
  let waiting = 0;
  let perMs = 0;
  let limit = least;
  let windowAt = now();
  let answered = 0;
  let highest = 0;

  const roll = (ms: number) => {
    const wasFull = highest >= limit / 2;
    perMs = wasFull ? perMs + NEWEST_SHARE * (answered / ms - perMs) : Math.max(perMs, answered / ms);
    limit = Math.min(most, Math.max(least, perMs * waitMs));
    windowAt += ms;
    answered = 0;
    highest = waiting;
  };

  return {
    isFull() {
      const ms = now() - windowAt;
      if (ms >= WINDOW_MS) roll(ms);
      return waiting >= limit;
    },
    enter() {
      waiting++;
      if (waiting > highest) highest = waiting;
    },
    leave() {
      waiting--;
      answered++;
    },
    get waiting() {
      return waiting;
    },
  };
}
