/**
 * Keeps one process of the server running: starts it, replaces it when it ends or latches, and backs off between
 * starts.
 */
import type { Logger } from "../log.js";

/** Delay of the first replacement; it doubles for each further one up to the maximum … */
const FIRST_DELAY_MS = 1_000;
/** … so that a server serves again within 60 s after a fault. */
const LONGEST_DELAY_MS = 45_000;
/** The delay starts over after a process that ran for this long. */
const LIVED_MS = 60_000;

/** How a process ended. */
export interface ProcessEnd {
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  /** Its last output; undefined when there was none. */
  readonly reason: string | undefined;
  /** The server's exit code for its failure. */
  readonly exitCode: number;
}

/** Messages of a process to its keeper. */
export interface ProcessEvents {
  ready(demo: boolean): void;
  /** Its store takes no more writes. It serves reads until it gets `stop`. */
  latched(reason: string): void;
  ended(end: ProcessEnd): void;
}

export interface StartedProcess {
  readonly pid: number | undefined;
  /** Asks it to drain and stop; kills it when that takes too long. */
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
  /** Resolves when the first process is ready, with whether there is a demo; rejects with StartFailure. */
  readonly ready: Promise<boolean>;
  /** Starts no further process. */
  cancel(): void;
}

/**
 * A latched process serves reads until its replacement is ready, so there is no downtime. If a process ends before the
 * first one was ready, it is not replaced: the start has failed.
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
  let resolveReady = (_demo: boolean) => {};
  let rejectReady = (_failure: StartFailure) => {};
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
  ready.catch(() => undefined); // whoever waits for it gets the error
  return { ready, cancel: () => clearTimeout(timer) };
}
