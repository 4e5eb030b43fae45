import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import type { Environment } from "./environment.js";
import type { WriterLimits } from "./writer-limits.js";

/** Check interval for overdue works, once there is one. */
const LATE_EVERY_MS = 100;
/** lmdb-js counts as stuck after `maxBeginMs` has passed this many times in a row while no other process held the lock. */
const MAX_FREE_LOOKS = 2;

class SlowWrite extends Error {}

/** Watches one transaction until it is on disk. Refuses works that wait too long and finds the reason for the delay. */
export class WriteWatch {
  isGivenUp = false;
  private readonly startedAt: number;
  private hasBegun = false;
  private isTold = false;
  private freeLooks = 0;
  private late: NodeJS.Timeout;
  private lock: NodeJS.Timeout;

  constructor(
    private readonly deps: {
      readonly environment: Pick<Environment, "lockHolder">;
      readonly limits: WriterLimits;
      readonly now: Now;
      readonly reportFailure: ReportFailure;
      /** Refuses works whose callers wait no longer. */
      readonly answerLate: () => void;
      /** Refuses all works that wait. */
      readonly refuseWaiting: () => void;
      /** No transaction will begin any more. */
      readonly giveUp: (cause: Error) => void;
    },
  ) {
    this.startedAt = deps.now();
    this.late = setTimeout(() => this.lookAgain(), deps.limits.answerMs);
    this.lock = setTimeout(() => this.lookAtLock(), deps.limits.maxBeginMs);
  }

  /** The transaction holds the lock; from now on only the disk can delay it. */
  begun(): void {
    this.hasBegun = true;
    clearTimeout(this.lock);
  }

  end(): void {
    clearTimeout(this.late);
    clearTimeout(this.lock);
  }

  private lookAgain(): void {
    const { answerLate, limits, now, reportFailure } = this.deps;
    answerLate();
    if (!this.isTold && now() - this.startedAt > limits.maxCommitMs) {
      this.isTold = true;
      reportFailure("store_commit", new SlowWrite(this.reason()));
    }
    this.late = setTimeout(() => this.lookAgain(), LATE_EVERY_MS);
  }

  /** While another process holds the lock, works are refused, but the store has not failed: it writes again afterwards. */
  private lookAtLock(): void {
    const { environment, limits, giveUp, refuseWaiting } = this.deps;
    this.freeLooks = environment.lockHolder() === undefined ? this.freeLooks + 1 : 0;
    if (this.freeLooks === MAX_FREE_LOOKS) {
      this.isGivenUp = true;
      giveUp(new Error(`No transaction could be begun within ${MAX_FREE_LOOKS * limits.maxBeginMs} ms`));
      return;
    }
    refuseWaiting();
    this.lock = setTimeout(() => this.lookAtLock(), limits.maxBeginMs);
  }

  private reason(): string {
    const { maxCommitMs } = this.deps.limits;
    if (this.hasBegun) return `A commit has taken longer than ${maxCommitMs} ms: the disk of the store stalls`;
    const holder = this.deps.environment.lockHolder();
    const words = holder === undefined ? "" : `: ${holder} holds the write lock of the store`;
    return `No write could begin for ${maxCommitMs} ms${words}`;
  }
}
