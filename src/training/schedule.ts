/** Runs a piece of work again and again until stopped. */
export interface Schedule {
  /** Starts no further run and resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs`, counted from the end of the run before, so that runs never overlap. `everyMs` 0 never
 * runs it. A run that fails is the business of `onError`; the schedule goes on.
 */
export function startSchedule(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Schedule {
  let stopped = everyMs === 0;
  let timer: NodeJS.Timeout | undefined;
  let run = Promise.resolve();
  const next = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      run = work().catch(onError).finally(next);
    }, everyMs);
    timer.unref();
  };
  next();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return run;
    },
  };
}
