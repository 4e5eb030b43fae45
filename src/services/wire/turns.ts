/** Time for calls in one turn of the event loop, ms. Sockets of other listeners are read between two turns. */
const TURN_MS = 2;

/** Runs work at once while there is little of it, and later in order when there is more. Returns a function that drops it. */
export type InTurn = (work: () => void) => () => void;

/**
 * Bounds the time in which calls begin in each turn of the event loop, so that a flood of them does not keep storefronts
 * waiting. A call's promises count until it waits for something outside. `now` is in ms and never goes back.
 */
export function createTurns(now: () => number): InTurn {
  // A flood of calls that are reset at once is dropped as fast as it comes: each leaves the queue from the middle.
  const waiting = new Set<() => void>();
  let inOrder = waiting.values();
  let endsAt: number | undefined;
  const isOver = () => endsAt === undefined || now() >= endsAt;

  const open = () => {
    endsAt = now() + TURN_MS;
    setImmediate(() => {
      endsAt = undefined;
      if (waiting.size > 0) {
        open();
        beginNext();
      }
    });
  };
  const next = () => {
    let { value } = inOrder.next();
    if (value === undefined) {
      inOrder = waiting.values(); // one that came to its end stays there
      value = inOrder.next().value;
    }
    if (value !== undefined) waiting.delete(value);
    return value;
  };
  const beginNext = () => {
    const work = next();
    // A tick that a promise asks for comes when all promises are settled that can be: so the next call begins after this one.
    if (waiting.size > 0) queueMicrotask(() => process.nextTick(() => isOver() || beginNext()));
    work?.();
  };

  return (work) => {
    if (endsAt === undefined) open();
    if (waiting.size === 0 && !isOver()) work();
    else waiting.add(work);
    return () => waiting.delete(work);
  };
}
