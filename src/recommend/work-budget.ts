import { setImmediate } from "node:timers/promises";

/** Share of a processor that background work may use while requests are answered. */
const SHARE = 0.03;
/** Work that may be saved up, ms. */
const MOST_MS = 30;
/** Work between two turns of other work, ms; at most one step longer. */
const PIECE_MS = 2;

/** A step counts no more than this, ms: a longer one has waited for a remote store or for other work. */
const MOST_OF_STEP_MS = 2;

/** Bounds what background work costs, in steps of about a millisecond. */
export class WorkBudget {
  #left = MOST_MS;
  #piece = 0;
  #filledAt: number;

  /** @param elapsed Milliseconds that never go back. */
  constructor(private readonly elapsed: () => number) {
    this.#filledAt = elapsed();
  }

  refill(): void {
    const at = this.elapsed();
    this.#left = Math.min(MOST_MS, this.#left + (at - this.#filledAt) * SHARE);
    this.#filledAt = at;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  async spend<T>(work: () => Promise<T> | T): Promise<T> {
    const begun = this.elapsed();
    try {
      return await work();
    } finally {
      const ms = Math.min(MOST_OF_STEP_MS, this.elapsed() - begun);
      this.#left -= ms;
      this.#piece += ms;
      if (this.#piece >= PIECE_MS) {
        this.#piece = 0;
        await setImmediate();
      }
    }
  }
}
