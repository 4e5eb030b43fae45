/** Time for all slices in one turn of the event loop, ms. */
const TURN_MS = 1;
/** Slices in one turn, if none takes any time. */
const MAX_SLICES = 64;
/** Time between two turns, for everything else: so watches take a fifth of the processor at most. */
const PAUSE_MS = 4;

/**
 * Spreads the work of many watches that wake up together: one slice after the other, a millisecond in a turn of the event
 * loop, and a pause between two turns in which other requests are answered.
 */
export class TimeSlices {
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;

  /** Resolves when the caller may work, until it awaits the next thing. */
  take(): Promise<void> {
    const slice = new Promise<void>((resolve) => this.waiting.push(resolve));
    if (!this.isRunning) this.run();
    return slice;
  }

  private run(): void {
    this.isRunning = this.waiting.length > 0;
    if (!this.isRunning) return;
    let left = Math.min(MAX_SLICES, this.waiting.length);
    let until = Number.POSITIVE_INFINITY;
    // Node settles all promises between two immediates, so each slice has done its work before the next one begins.
    const next = () => {
      left--;
      const now = performance.now();
      until = Math.min(until, now + TURN_MS); // from the first slice on: the rest of the turn is not theirs
      if (now < until) this.waiting.shift()?.();
      if (left === 0) setTimeout(() => this.run(), PAUSE_MS);
    };
    for (let n = left; n > 0; n--) setImmediate(next);
  }
}
