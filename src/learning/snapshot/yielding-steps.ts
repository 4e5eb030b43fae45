import { setImmediate } from "node:timers/promises";

/** Work that yields at each point where other work of the thread may run. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Duration of a piece, ms; at most one step longer. */
const PIECE_MS = 2;

/** Does the work without a break. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the work in pieces, between which the thread handles other work. */
export async function runInPieces<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const until = performance.now() + PIECE_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}

/** Items processed in one step: some tenths of a millisecond. */
const AT_ONCE = 4096;

/**
 * Does the work for 0 to `count` - 1, a part in each step. V8 does not optimise the loops of a generator that goes on, so
 * loops over many items belong into the function.
 */
export function* inParts(count: number, work: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    yield;
    work(from, Math.min(count, from + AT_ONCE));
  }
}
