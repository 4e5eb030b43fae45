import { setImmediate } from "node:timers/promises";

/** Share of a processor that background work may use while requests are answered. */
const SHARE = 0.03;
/** Work that may be saved up, ms. */
const MOST_MS = 30;
/** Work between two turns of other work, ms; at most one step longer. */
const PIECE_MS = 2;

/** Bounds what background work costs. Waiting for a remote store counts as work. */
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
      const ms = this.elapsed() - begun;
      this.#left -= ms;
      this.#piece += ms;
      if (this.#piece >= PIECE_MS) {
        this.#piece = 0;
        await setImmediate();
      }
    }
  }
}
