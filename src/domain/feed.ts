export const FEED_OUTCOMES = ["imported", "unchanged", "failed"] as const;

export type FeedOutcome = (typeof FEED_OUTCOMES)[number];

/** A rejected entry of a feed. */
export interface FeedReject {
  /** Its line, or for XML the number of its item. */
  readonly position: number;
  /** "" when unreadable. */
  readonly id: string;
  readonly reason: string;
}

/** The result of reading a feed. */
export interface FeedRun {
  readonly at: number;
  readonly tookMs: number;
  readonly outcome: FeedOutcome;
  readonly accepted: number;
  readonly rejected: number;
  readonly hidden: number;
  /** Why it failed, or why it hid nothing; "" for nothing. */
  readonly error: string;
  /** The first rejected entries. */
  readonly rejects: readonly FeedReject[];
}

/** A scheduled source of a shop's products. */
export interface Feed {
  readonly feedId: string;
  /** https, without user and password. */
  readonly url: string;
  /** Format; "" to detect it. */
  readonly format: string;
  /** Currency of prices that name none. */
  readonly currency: string;
  /** Hides products that the feed does not list. */
  readonly full: boolean;
  readonly everyMs: number;
  /** Allows the next read to hide more than half of the products. */
  readonly forced: boolean;
  /** Time of the next read. */
  readonly nextAt: number;
  /** The process that reads it now, and the end of its claim; "" for none. */
  readonly claimedBy: string;
  readonly claimedUntil: number;
  /** The host's validators at the last import, and its time. */
  readonly etag: string;
  readonly lastModified: string;
  readonly importedAt: number;
  /** Null before the first read. */
  readonly lastRun: FeedRun | null;
  /** Operations that the next read ends. Those that have begun wait for the read under way, or for the one after a crash. */
  readonly operationIds: readonly string[];
}

/** Maximum feeds of one app. */
export const MAX_FEEDS = 20;
