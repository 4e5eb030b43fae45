/** Keeps one process of the server running: starts it, replaces it when it ends or latches, and backs off between starts. */
import type { Logger } from "../log.js";

/** The first replacement comes after this long; each further one after twice as long, up to the longest … */
const FIRST_DELAY_MS = 1_000;
/** … which leaves time to start within the 60 s after a fault in which a server serves again. */
const LONGEST_DELAY_MS = 45_000;
/** The delay starts over after a process that ran for this long. */
const LIVED_MS = 60_000;

/** How a process ended. */
export interface ProcessEnd {
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  /** Its own words; undefined when it left none. */
  readonly reason: string | undefined;
  /** The exit code that its failure asks of the server. */
  readonly exitCode: number;
}

/** What a process tells whoever keeps it. */
export interface ProcessEvents {
  /** It waits for its store, which is away. */
  waiting(): void;
  ready(demo: boolean): void;
  /** Its store takes no more writes. It goes on serving reads until it gets `stop`. */
  latched(reason: string): void;
  ended(end: ProcessEnd): void;
}

export interface StartedProcess {
  readonly pid: number | undefined;
  /** Asks it to drain and end; kills it when that takes too long. */
  stop(): void;
}

/** A process could not start; the message is one line for the operator. */
export class StartFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

export interface KeptProcess {
  /** Resolves when the first process is ready or waits for its store. */
  readonly begun: Promise<void>;
  /** Resolves with whether there is a demo when the first process is ready; rejects with StartFailure. */
  readonly ready: Promise<boolean>;
  /** Starts no further process. */
  cancel(): void;
}

/**
 * A process that latched goes on serving reads until its replacement is ready: nothing is down meanwhile.
 * The end of a process before the first one was ready is not repaired: it is a failure to start.
 */
export function keepProcess(deps: {
  readonly start: (events: ProcessEvents) => StartedProcess;
  readonly logger: Pick<Logger, "error" | "info">;
  readonly isStopping: () => boolean;
  readonly monotonicNow: () => number;
}): KeptProcess {
  const { logger, isStopping, monotonicNow } = deps;
  /** Latched, and running until a replacement is ready. */
  const latched = new Set<StartedProcess>();
  let newest: StartedProcess | undefined;
  let wasReady = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let begin = () => {};
  let resolveReady = (_demo: boolean) => {};
  let rejectReady = (_failure: StartFailure) => {};
  const waiting = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ready = new Promise<boolean>((resolve, reject) => {
    resolveReady = resolve;
    rejectReady = reject;
  });

  const start = () => {
    const startedAt = monotonicNow();
    const replace = (): number => {
      newest = undefined;
      failures = monotonicNow() - startedAt > LIVED_MS ? 1 : failures + 1;
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
      timer = setTimeout(start, delay);
      return delay;
    };
    const process = deps.start({
      waiting: () => begin(),
      ready(demo) {
        wasReady = true;
        for (const old of latched) old.stop();
        resolveReady(demo);
      },
      latched(reason) {
        if (newest !== process || isStopping()) return;
        if (!wasReady) {
          rejectReady(new StartFailure(reason, 1));
          return;
        }
        latched.add(process);
        const delay = replace();
        logger.error({ process: process.pid, reason, delay }, "a process stopped accepting writes; replacing it");
      },
      ended({ pid, code, signal, reason, exitCode }) {
        latched.delete(process);
        if (newest !== process || isStopping()) return;
        if (!wasReady) {
          const words = reason ?? "A process of the server ended before it was ready";
          rejectReady(new StartFailure(signal === null ? words : `${words} (${signal})`, exitCode));
          return;
        }
        const delay = replace();
        logger.error({ process: pid, code, signal, reason, delay }, "a process ended; replacing it");
      },
    });
    newest = process;
  };
  start();
  const begun = Promise.race([waiting, ready.then(() => undefined)]);
  begun.catch(() => undefined); // whoever waits for one of the two learns of it
  ready.catch(() => undefined);
  return { begun, ready, cancel: () => clearTimeout(timer) };
}
