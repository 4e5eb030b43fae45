/** Does a piece of work when its turn comes. */
export type Turns = (work: () => void) => void;

/** Of the time from the beginning of a work to the next, how many times its own time. */
const SPACING = 4;

/**
 * Spaces out works that take the event loop for milliseconds each: one at a time, in the order they came, and after each
 * so long a rest that together they have at most a quarter of the time, however many there are. A work that comes
 * after the rest is done at once. `now` is in ms and never goes back.
 */
export function createTurns(now: () => number): Turns {
  const waiting: (() => void)[] = [];
  let isResting = false;

  const next = () => {
    const work = waiting.shift();
    isResting = work !== undefined;
    if (work === undefined) return;
    const startedAt = now();
    try {
      work();
    } finally {
      const restMs = (SPACING - 1) * (now() - startedAt);
      if (restMs < 1) setImmediate(next);
      else setTimeout(next, restMs);
    }
  };

  return (work) => {
    waiting.push(work);
    if (!isResting) next();
  };
}
