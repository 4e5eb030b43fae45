export const FEED_OUTCOMES = ["imported", "unchanged", "failed"] as const;

export type FeedOutcome = (typeof FEED_OUTCOMES)[number];

/** An entry of a feed that was not taken. */
export interface FeedReject {
  /** Its line, or in XML which item it is. */
  readonly position: number;
  /** "" where it cannot be told. */
  readonly id: string;
  readonly reason: string;
}

/** What came of reading a feed. */
export interface FeedRun {
  readonly at: number;
  readonly tookMs: number;
  readonly outcome: FeedOutcome;
  readonly accepted: number;
  readonly rejected: number;
  readonly hidden: number;
  /** Why it failed, or why it hid nothing; "" for nothing. */
  readonly error: string;
  /** The first that were rejected. */
  readonly rejects: readonly FeedReject[];
}

/** Where a shop's products are read from by schedule. */
export interface Feed {
  readonly feedId: string;
  /** https, without user and password. */
  readonly url: string;
  /** How it is written; "" when its content tells. */
  readonly format: string;
  /** Of prices that name none. */
  readonly currency: string;
  /** What it does not list is hidden. */
  readonly full: boolean;
  readonly everyMs: number;
  /** The next reading alone may hide more than half. */
  readonly forced: boolean;
  /** When it is read next. */
  readonly nextAt: number;
  /** Which process reads it now, and until when it may; "" for none. */
  readonly claimedBy: string;
  readonly claimedUntil: number;
  /** What its host said of it when it was last imported, and when that was. */
  readonly etag: string;
  readonly lastModified: string;
  readonly importedAt: number;
  /** Null until it was read for the first time. */
  readonly lastRun: FeedRun | null;
}

/** Feeds of one app. */
export const MAX_FEEDS = 20;
