/** Runs a piece of work again and again until stopped. */
export interface Schedule {
  /** Starts no further run and resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs`, counted from the end of the run before, so that runs never overlap, and the first time
 * after `firstMs`. `everyMs` 0 never runs it. A run that fails is the business of `onError`; the schedule goes on.
 */
export function startSchedule(
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
  firstMs = everyMs,
): Schedule {
  let stopped = everyMs === 0;
  let timer: NodeJS.Timeout | undefined;
  let run = Promise.resolve();
  const next = (afterMs: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      run = work()
        .catch(onError)
        .finally(() => next(everyMs));
    }, afterMs);
    timer.unref();
  };
  next(firstMs);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return run;
    },
  };
}

/** The same for work that may take long: the signal fires when the schedule is stopped. The first run is `firstMs` away. */
export function startStoppable(
  everyMs: number,
  work: (stop: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
  firstMs = everyMs,
): Schedule {
  const stopping = new AbortController();
  const schedule = startSchedule(everyMs, () => work(stopping.signal), onError, firstMs);
  return {
    stop() {
      stopping.abort();
      return schedule.stop();
    },
  };
}
