/** Work in one turn of the event loop, ms. */
const TURN_MS = 2;
/** Steps in one turn, should each take no time. */
const STEPS = 64;

/**
 * Turns for many who would all work at the same moment: one after the other, a few milliseconds in a turn of the event loop, so
 * that requests are answered in between.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;

  /** Resolves when it is the caller's turn. It works until it next waits for something. */
  take(): Promise<void> {
    const turn = new Promise<void>((resolve) => this.waiting.push(resolve));
    if (!this.isRunning) this.run();
    return turn;
  }

  private run(): void {
    this.isRunning = this.waiting.length > 0;
    if (!this.isRunning) return;
    let steps = Math.min(STEPS, this.waiting.length);
    const until = performance.now() + TURN_MS;
    // Between two immediates, all that follows from a step is done.
    const step = () => {
      steps--;
      if (performance.now() <= until) this.waiting.shift()?.();
      if (steps === 0) setImmediate(() => this.run());
    };
    for (let n = steps; n > 0; n--) setImmediate(step);
  }
}
