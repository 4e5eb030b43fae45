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
