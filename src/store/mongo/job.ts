import { Unavailable } from "../../domain/errors.js";
import type { Draft, Work } from "./staged-tables.js";

/** A work that waits for its transaction, and its outcome. */
export interface Job {
  readonly appId: string;
  /** Of a bulk call, whose caller waits longer. */
  readonly isBulk: boolean;
  /** The caller has its answer. */
  readonly isSettled: boolean;
  run(draft: Draft): void;
  fail(error: unknown): void;
  /** Answers the caller. */
  settle(): void;
}

/** Rejects with Unavailable when it takes longer than `answerMs`. The work may still be done then, or be done later. */
export class PendingWork<T> implements Job {
  isSettled = false;
  private outcome: { readonly result: T } | { readonly error: unknown } | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    readonly appId: string,
    readonly isBulk: boolean,
    private readonly work: Work<T>,
    answerMs: number,
    private readonly resolve: (result: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.timer = setTimeout(() => {
      this.fail(new Unavailable(`The store did not answer within ${answerMs} ms`));
      this.settle();
    }, answerMs);
  }

  run(draft: Draft): void {
    if (!this.isSettled) this.outcome = { result: this.work(draft) };
  }

  fail(error: unknown): void {
    this.outcome = { error };
  }

  settle(): void {
    if (this.isSettled || this.outcome === undefined) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    if ("result" in this.outcome) this.resolve(this.outcome.result);
    else this.reject(this.outcome.error);
  }
}
