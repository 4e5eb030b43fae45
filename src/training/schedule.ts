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

/** The same for work that may take long: the signal fires when the schedule is stopped. */
export function startStoppable(
  everyMs: number,
  work: (stop: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Schedule {
  const stopping = new AbortController();
  const schedule = startSchedule(everyMs, () => work(stopping.signal), onError);
  return {
    stop() {
      stopping.abort();
      return schedule.stop();
    },
  };
}
