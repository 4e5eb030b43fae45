/** Time for calls in one turn of the event loop, ms. Sockets of other listeners are read between two turns. */
const TURN_MS = 2;

/** Runs work at once while there is little of it, and later in order when there is more. */
export type InTurn = (work: () => void) => void;

/**
 * Bounds the time in which calls begin in each turn of the event loop, so that a flood of them does not keep storefronts
 * waiting. A call's promises count until it waits for something outside. `now` is in ms and never goes back.
 */
export function createTurns(now: () => number): InTurn {
  const waiting: (() => void)[] = [];
  let endsAt: number | undefined;
  const isOver = () => endsAt === undefined || now() >= endsAt;

  const open = () => {
    endsAt = now() + TURN_MS;
    setImmediate(() => {
      endsAt = undefined;
      if (waiting.length > 0) {
        open();
        beginNext();
      }
    });
  };
  const beginNext = () => {
    const work = waiting.shift();
    // A tick that a promise asks for comes when all promises are settled that can be: so the next call begins after this one.
    if (waiting.length > 0) queueMicrotask(() => process.nextTick(() => isOver() || beginNext()));
    work?.();
  };

  return (work) => {
    if (endsAt === undefined) open();
    if (waiting.length === 0 && !isOver()) work();
    else waiting.push(work);
  };
}
