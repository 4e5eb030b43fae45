/**
 * What bounds the writer, and what refuses writes: how much may wait and how long, a write that failed, a disk that is nearly
 * full, and a transaction that does not come to its end.
 */
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import { type ShedReason, Unavailable } from "../../domain/errors.js";
import { StoreFileChanged } from "./open-file.js";

/** How much may wait for a transaction, and how long one may take. */
export interface WriterLimits {
  /** Works that may wait; one more is refused at once. */
  readonly maxWaiting: number;
  /** Limit of the bytes that waiting works will write, estimated from earlier works. Beyond it new works are refused. */
  readonly maxWaitingBytes: number;
  /** When the oldest work has waited for longer than this many milliseconds, further ones are refused. */
  readonly maxWaitingMs: number;
  /** Maximum wait of a caller, ms. Bulk calls may wait longer. */
  readonly answerMs: number;
  /** Works per transaction; more would block the event loop for too long. */
  readonly maxBatch: number;
  /** Of these, at least this many are works of bulk calls, if so many wait and `bulkMs` allows it. */
  readonly minBulk: number;
  /** After this many milliseconds a transaction starts no further work of bulk calls and yields to the event loop. */
  readonly bulkMs: number;
  /** Bytes per transaction; its last work may exceed it. */
  readonly maxBatchBytes: number;
  /** A transaction that takes longer than this many milliseconds makes the store refuse works until it ends. */
  readonly maxCommitMs: number;
  /** When no transaction could start for this many milliseconds, the store gives up, as after a failed write. */
  readonly maxBeginMs: number;
  /** With fewer free bytes on the disk, only works that free space are accepted. */
  readonly minFreeBytes: number;
}

export const MIB = 2 ** 20;

export const WRITER_LIMITS: WriterLimits = {
  maxWaiting: 20_000,
  maxWaitingBytes: 64 * MIB,
  maxWaitingMs: 2000,
  answerMs: 5000,
  maxBatch: 1000,
  minBulk: 100,
  bulkMs: 6,
  maxBatchBytes: 16 * MIB,
  maxCommitMs: 10_000,
  maxBeginMs: 60_000,
  minFreeBytes: 256 * MIB,
};

export function tooMany(shed: ShedReason): Unavailable {
  return new Unavailable("Too many writes are waiting for the store", undefined, { shed });
}

/**
 * Shuts at the first failed write and stays shut until the store is reopened. After a failed sync the contents of the disk
 * are unknown: kernels drop pages that they could not write and report the error once. A successful retry proves nothing.
 */
export class Latch {
  private cause: unknown;
  private shut = false;

  /** `onShut` is called once, with the cause. */
  constructor(private readonly onShut: (cause: unknown) => void = () => undefined) {}

  /** Shuts it. Only the first cause is kept. */
  close(cause: unknown): void {
    if (this.shut) return;
    this.shut = true;
    this.cause = cause;
    this.onShut(cause);
  }

  get isShut(): boolean {
    return this.shut;
  }

  /** The error for callers while it is shut. */
  refusal(): Unavailable {
    const { cause } = this;
    // Its text tells the operator what to do; the driver's text of any other cause would not help.
    if (cause instanceof StoreFileChanged) return cause;
    return new Unavailable("The store rejects writes because one failed; restart the process", 30_000, { cause });
  }
}

/** Milliseconds for which an answer of the file system is cached. Asking costs about 5 µs. */
const HOLDS_MS = 1000;

/**
 * Tells when the disk is nearly full. On a full disk a write fails, and a failed write shuts the store until it is
 * reopened. Refusing writes earlier avoids that, and ends as soon as there is space again.
 */
export class FreeSpace {
  private checkedAt = Number.NEGATIVE_INFINITY;
  private low = false;

  constructor(
    /** Bytes that are free for this process. */
    private readonly freeBytes: () => number,
    private readonly now: Now,
    readonly minBytes: number,
  ) {}

  isLow(): boolean {
    const at = this.now();
    if (Math.abs(at - this.checkedAt) >= HOLDS_MS) {
      this.checkedAt = at;
      this.low = this.freeBytes() < this.minBytes;
    }
    return this.low;
  }
}

/** Check interval for overdue works, once there is one. */
const LATE_EVERY_MS = 100;
class SlowWrite extends Error {}

/** Watches one transaction until it is on disk. Refuses works that wait too long and reports the delay. */
export class WriteWatch {
  isGivenUp = false;
  private readonly startedAt: number;
  private hasBegun = false;
  private isTold = false;
  private late: NodeJS.Timeout;
  private readonly beginning: NodeJS.Timeout;

  constructor(
    private readonly deps: {
      readonly limits: WriterLimits;
      readonly now: Now;
      readonly reportFailure: ReportFailure;
      /** Refuses works whose callers wait no longer. */
      readonly answerLate: () => void;
      /** No transaction will begin any more. */
      readonly giveUp: (cause: Error) => void;
    },
  ) {
    const { answerMs, maxBeginMs } = deps.limits;
    this.startedAt = deps.now();
    this.late = setTimeout(() => this.lookAgain(), answerMs);
    this.beginning = setTimeout(() => {
      this.isGivenUp = true;
      deps.giveUp(new Error(`No transaction could be begun within ${maxBeginMs} ms`));
    }, maxBeginMs);
  }

  /** The transaction has begun; from now on only the disk can delay it. */
  begun(): void {
    this.hasBegun = true;
    clearTimeout(this.beginning);
  }

  end(): void {
    clearTimeout(this.late);
    clearTimeout(this.beginning);
  }

  private lookAgain(): void {
    const { answerLate, limits, now, reportFailure } = this.deps;
    answerLate();
    if (!this.isTold && now() - this.startedAt > limits.maxCommitMs) {
      this.isTold = true;
      const what = this.hasBegun ? "A commit has taken longer than" : "No write could begin for";
      reportFailure("store_commit", new SlowWrite(`${what} ${limits.maxCommitMs} ms: the disk of the store stalls`));
    }
    this.late = setTimeout(() => this.lookAgain(), LATE_EVERY_MS);
  }
}
