import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The deadline of a call. It does what an `AbortSignal` would do for the work of the call, for a tenth of the CPU: nearly
 * every call has one and nearly none of them passes.
 */
export class CallDeadline {
  readonly #at: number;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onPassed: (reason: ConnectError) => void;
  #reason: unknown;
  #giveUp: ((reason: unknown) => void) | undefined;

  /** `onPassed` is called when the deadline passes, not for one that has passed already. */
  constructor(ms: number, onPassed: (reason: ConnectError) => void) {
    this.#at = Date.now() + ms;
    this.#onPassed = onPassed;
    if (ms > 0) this.#timer = setTimeout(pass, ms, this);
    else this.#reason = timedOut();
  }

  /** Why the work was given up; undefined while it was not. */
  get reason(): unknown {
    return this.#reason;
  }

  remainingMs(): number {
    return this.#at - Date.now();
  }

  /** `work`, unless the deadline passes or the call is ended first: then the reason is thrown and its result dropped. */
  within<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) return reject(this.#reason);
      this.#giveUp = reject;
      work().then(resolve, reject);
    });
  }

  pass(): void {
    const reason = timedOut();
    this.end(reason);
    this.#onPassed(reason);
  }

  /** Ends the call; with a reason its work is given up. */
  end(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#reason ??= reason;
    if (reason !== undefined) this.#giveUp?.(reason);
  }
}

function pass(deadline: CallDeadline): void {
  deadline.pass();
}

function timedOut(): ConnectError {
  return new ConnectError("the operation timed out", Code.DeadlineExceeded);
}
