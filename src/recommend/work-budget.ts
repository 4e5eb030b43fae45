import { setImmediate } from "node:timers/promises";

/** Share of the time that background work may take, and what it may take more of an idle thread's; none of one busy half the time. */
const SHARE = 0.005;
const SHARE_OF_IDLE = 0.025;
/** Work that may be saved up, and that may be overdrawn, ms. */
const MOST_MS = 30;
/** Work between two turns of other work, ms; at most one step longer. */
const PIECE_MS = 2;
/** A wait for the store counts no more than this, ms: a remote one does the work itself. */
const MOST_OF_WAIT_MS = 2;

/** Bounds what background work costs, in steps of about a millisecond. */
export class WorkBudget {
  #left = MOST_MS;
  #piece = 0;
  #filledAt: number;
  #idleAt: number;

  /**
   * @param elapsed Milliseconds that never go back.
   * @param idle Milliseconds of them in which the thread had nothing to do.
   */
  constructor(
    private readonly elapsed: () => number,
    private readonly idle: () => number,
  ) {
    this.#filledAt = elapsed();
    this.#idleAt = idle();
  }

  refill(): void {
    const [at, idleAt] = [this.elapsed(), this.idle()];
    const [passed, idle] = [at - this.#filledAt, idleAt - this.#idleAt];
    const earned = passed * SHARE + Math.max(0, 2 * idle - passed) * SHARE_OF_IDLE;
    this.#left = Math.min(MOST_MS, this.#left + earned);
    [this.#filledAt, this.#idleAt] = [at, idleAt];
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /**
   * Does a step. What it does before its first wait counts in full: an embedded store has then answered. So computing
   * belongs into a step without a wait.
   */
  async spend<T>(work: () => Promise<T> | T): Promise<T> {
    const begun = this.elapsed();
    let waits = begun;
    try {
      const result = work();
      waits = this.elapsed();
      return await result;
    } finally {
      const end = this.elapsed();
      const ms = waits - begun + Math.min(MOST_OF_WAIT_MS, end - waits);
      this.#left = Math.max(-MOST_MS, this.#left - ms);
      this.#piece += ms;
      if (this.#piece >= PIECE_MS) {
        this.#piece = 0;
        await setImmediate();
      }
    }
  }
}
