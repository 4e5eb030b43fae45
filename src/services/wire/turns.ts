/** Time for calls in one turn of the event loop, ms. Sockets of other listeners are read between two turns. */
const TURN_MS = 2;

/** Runs work at once while there is little of it, and later in order when there is more. */
export type InTurn = (work: () => void) => void;

/**
 * Bounds the time that calls take of each turn of the event loop, so that a flood of calls does not keep storefronts waiting.
 * `now` is in ms and never goes back.
 */
export function createTurns(now: () => number): InTurn {
  let waiting: (() => void)[] = [];
  /** Works before this index of `waiting` have been taken. */
  let taken = 0;
  let usedMs = 0;
  let isAsked = false;

  const perform = (work: () => void) => {
    const beganAt = now();
    try {
      work();
    } finally {
      usedMs += now() - beganAt;
      ask();
    }
  };
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    setImmediate(nextTurn);
  };
  const nextTurn = () => {
    isAsked = false;
    usedMs = 0;
    for (let work = waiting[taken]; work !== undefined && usedMs < TURN_MS; work = waiting[taken]) {
      taken++;
      perform(work);
    }
    if (taken < waiting.length) return ask();
    waiting = [];
    taken = 0;
  };

  return (work) => {
    if (waiting.length === 0 && usedMs < TURN_MS) return perform(work);
    waiting.push(work);
    ask();
  };
}
