import { hardExit } from "./workers/hard-exit.js";

/** Time for calls under way after a signal. */
export const DRAIN_MS = 10_000;
/** A second signal this soon is a duplicate of the first one. */
const REPEAT_MS = 1_000;

/** The request to stop this process. */
export interface StopSignal {
  readonly signalled: Promise<void>;
  readonly seen: () => boolean;
  /** Like a signal, but may be repeated. */
  readonly ask: () => void;
}

/**
 * The first SIGTERM or SIGINT; a second one ends the process at once, after `atOnce`. One that follows within a second
 * is a duplicate: Ctrl-C under `npm start` arrives from the terminal and once more from npm
 * (test/scripts/signals.test.ts).
 */
export function stopSignal(atOnce: () => void = () => undefined): StopSignal {
  let firstAt: number | undefined;
  let ask = () => {};
  const signalled = new Promise<void>((resolve) => {
    ask = () => {
      firstAt ??= performance.now();
      resolve();
    };
    const take = () => {
      if (firstAt !== undefined && performance.now() - firstAt > REPEAT_MS) {
        atOnce();
        hardExit();
      }
      ask();
    };
    process.on("SIGTERM", take);
    process.on("SIGINT", take);
    // A terminal that closes ends what runs in it. Other senders ask programs to read their files again: nothing to do here.
    process.on("SIGHUP", () => {
      if (process.stdout.isTTY) take();
    });
    process.on("SIGUSR2", () => undefined);
  });
  return { signalled, seen: () => firstAt !== undefined, ask };
}
