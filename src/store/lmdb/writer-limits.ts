import { type ShedReason, Unavailable } from "../../domain/errors.js";

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
  /**
   * When no transaction could start for this many milliseconds, all waiting works are refused. After twice that time in
   * which no other process held the lock, the store gives up, as after a failed write.
   */
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
  maxBeginMs: 30_000,
  minFreeBytes: 256 * MIB,
};

export function tooMany(shed: ShedReason): Unavailable {
  return new Unavailable("Too many writes are waiting for the store", undefined, { shed });
}
