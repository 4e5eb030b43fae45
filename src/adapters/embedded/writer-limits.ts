/** How much may wait for a transaction, and how long one may take. */
export interface WriterLimits {
  /** Works that may wait; one more is refused at once. */
  readonly maxWaiting: number;
  /** Bytes that waiting works are expected to write, going by those before them; above it further ones are refused. */
  readonly maxWaitingBytes: number;
  /** When the oldest work has waited for longer than this many milliseconds, further ones are refused. */
  readonly maxWaitingMs: number;
  /** A caller waits for no longer than this many milliseconds; a bulk call, whose sender has time, does. */
  readonly answerMs: number;
  /** Works run in one transaction: more would keep the event loop from other things for too long. */
  readonly maxBatch: number;
  /** Works of bulk calls among them, at least, when there are so many and the time is enough. */
  readonly minBulk: number;
  /** After this many milliseconds no further work of bulk calls begins in a transaction: the event loop has its turn first. */
  readonly bulkMs: number;
  /** Bytes written in one transaction, beside those of its last work. */
  readonly maxBatchBytes: number;
  /** A transaction that takes longer than this many milliseconds makes the store refuse works until it ends. */
  readonly maxCommitMs: number;
  /** After this many milliseconds in which no transaction could be begun the store gives up, as after a failed one. */
  readonly maxBeginMs: number;
  /** With fewer bytes left on the disk only works that free some are taken. */
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
