import { FEED_OUTCOMES, type Feed, type FeedReject, type FeedRun } from "../../../domain/feed.js";
import { flag, list, number, oneOf, orElse, orNull, record, text } from "../shape.js";

export const feedShape = record<Feed>({
  feedId: text,
  url: text,
  format: text,
  currency: text,
  full: flag,
  everyMs: number,
  forced: orElse(flag, false),
  nextAt: number,
  claimedBy: text,
  claimedUntil: number,
  etag: text,
  lastModified: text,
  importedAt: number,
  lastRun: orNull(
    record<FeedRun>({
      at: number,
      tookMs: number,
      outcome: oneOf(...FEED_OUTCOMES),
      accepted: number,
      rejected: number,
      hidden: number,
      error: text,
      rejects: list(record<FeedReject>({ position: number, id: text, reason: text })),
    }),
  ),
});
