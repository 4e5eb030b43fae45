/** Time for calls in one turn of the event loop, ms. Sockets of other listeners are read between two turns. */
const TURN_MS = 2;

/** Runs work at once while there is little of it, and later in order when there is more. */
export type InTurn = (work: () => void) => void;

/**
 * Bounds the time in which calls over HTTP/2 begin in each turn of the event loop, so that a flood of them does not keep storefronts
 * waiting. What a call does after its first wait is not counted. `now` is in ms and never goes back.
 */
export function createTurns(now: () => number): InTurn {
  let waiting: (() => void)[] = [];
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
    let taken = 0;
    try {
      for (let work = waiting[0]; work !== undefined && usedMs < TURN_MS; work = waiting[taken]) {
        taken++;
        perform(work);
      }
    } finally {
      waiting = waiting.slice(taken);
      if (waiting.length > 0) ask();
    }
  };

  return (work) => {
    if (waiting.length === 0 && usedMs < TURN_MS) return perform(work);
    waiting.push(work);
    ask();
  };
}
