import { FEED_OUTCOMES, type Feed, type FeedRun } from "../../../domain/feed.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

export const feedRecord: RecordCodec<Feed> = {
  toCells: (feed) => [
    feed.feedId,
    feed.url,
    feed.format,
    feed.currency,
    feed.full,
    feed.everyMs,
    feed.nextAt,
    feed.claimedBy,
    feed.claimedUntil,
    feed.etag,
    feed.lastModified,
    feed.importedAt,
    feed.lastRun === null ? [] : runCells(feed.lastRun),
    feed.forced,
  ],
  fromCells: (cells) => ({
    feedId: cell.text(cells, 0),
    url: cell.text(cells, 1),
    format: cell.text(cells, 2),
    currency: cell.text(cells, 3),
    full: cell.flag(cells, 4),
    everyMs: cell.number(cells, 5),
    nextAt: cell.number(cells, 6),
    claimedBy: cell.text(cells, 7),
    claimedUntil: cell.number(cells, 8),
    etag: cell.text(cells, 9),
    lastModified: cell.text(cells, 10),
    importedAt: cell.number(cells, 11),
    lastRun: cell.list(cells, 12).length === 0 ? null : runFrom(cell.list(cells, 12)),
    forced: cell.laterFlag(cells, 13),
  }),
};

function runCells(run: FeedRun): unknown[] {
  return [
    run.at,
    run.tookMs,
    run.outcome,
    run.accepted,
    run.rejected,
    run.hidden,
    run.error,
    run.rejects.map(({ position, id, reason }) => [position, id, reason]),
  ];
}

function runFrom(cells: Cells): FeedRun {
  return {
    at: cell.number(cells, 0),
    tookMs: cell.number(cells, 1),
    outcome: cell.oneOf(cells, 2, FEED_OUTCOMES),
    accepted: cell.number(cells, 3),
    rejected: cell.number(cells, 4),
    hidden: cell.number(cells, 5),
    error: cell.text(cells, 6),
    rejects: cell.rows(cells, 7, (row) => ({
      position: cell.number(row, 0),
      id: cell.text(row, 1),
      reason: cell.text(row, 2),
    })),
  };
}
