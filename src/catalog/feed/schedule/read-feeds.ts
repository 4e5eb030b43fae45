import { type Client, ConnectError } from "@connectrpc/connect";
import type { Metrics } from "../../../adapters/metrics.js";
import type { Now } from "../../../domain/clock.js";
import type { Feed, FeedRun } from "../../../domain/feed.js";
import type { Operation } from "../../../domain/operation.js";
import type { CatalogService } from "../../../gen/aisle/v1/catalog_service_pb.js";
import type { FeedStore } from "../../../store/ports/feed-store.js";
import type { Transaction, UnitOfWork } from "../../../store/ports/unit-of-work.js";
import { BrokenFeed, UnusableFile } from "../feed-errors.js";
import { FeedFailure, type FetchFeed, NO_VERSION } from "../fetch-feed.js";
import { importFeed } from "./import-feed.js";

export interface ReadFeedsDependencies {
  readonly feeds: FeedStore;
  readonly unitOfWork: UnitOfWork;
  readonly catalog: Pick<Client<typeof CatalogService>, "upsertProducts" | "replaceCatalog">;
  /** Without it no feed is read. */
  readonly fetchFeed?: FetchFeed | undefined;
  readonly now: Now;
  /** Returns a text unique to this read. */
  readonly newId: () => string;
  /** A run as its operation shows it. */
  readonly resultOf: (run: FeedRun) => string;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

/**
 * Reads the feeds that are due, one after the other. One of all processes that share the store reads a feed: it claims
 * the feed for some minutes, and renews the claim while it reads. If the process dies, others read the feed when the
 * claim has expired. When `stop` fires, the current feed is released at once. A read ends the operations that asked for it.
 */
export type ReadFeeds = (stop: AbortSignal) => Promise<void>;

const PAGE = 1000;
const CLAIM_MS = 120_000;
const RENEW_MS = 30_000;
/** A feed is imported at least this often, even if its host reports no change: not every host tells the truth. */
const STALE_MS = 24 * 3_600_000;

export function createReadFeeds(deps: ReadFeedsDependencies): ReadFeeds {
  const { feeds, unitOfWork, now, metrics, fetchFeed } = deps;

  /** The claimed feed; undefined when it is no longer due or another process has claimed it. */
  const claim = (appId: string, feedId: string, claimedBy: string) =>
    unitOfWork.run(appId, (tx) => {
      const feed = tx.feeds.get(feedId);
      if (tx.app() === undefined || feed === undefined || feed.nextAt > now() || feed.claimedUntil > now())
        return undefined;
      const claimed = { ...feed, claimedBy, claimedUntil: now() + CLAIM_MS };
      tx.feeds.put(feedId, claimed);
      for (const operation of operationsOf(tx, claimed))
        if (operation.startedAt === 0) tx.operations.put(operation.operationId, { ...operation, startedAt: now() });
      return claimed;
    });

  /** Changes a feed while it is claimed. */
  const change = (
    appId: string,
    { feedId, claimedBy }: Feed,
    changed: (feed: Feed, tx: Transaction) => Partial<Feed>,
  ) =>
    unitOfWork.run(appId, (tx) => {
      const feed = tx.feeds.get(feedId);
      if (tx.app() !== undefined && feed?.claimedBy === claimedBy)
        tx.feeds.put(feedId, { ...feed, ...changed(feed, tx) });
    });

  const endOf = (run: FeedRun): Pick<Operation, "state" | "share" | "result" | "fault"> =>
    run.outcome === "failed"
      ? { state: "failed", share: 0, result: "", fault: { code: 9, message: run.error, reason: "FEED_FAILED" } }
      : { state: "succeeded", share: 1, result: deps.resultOf(run), fault: null };

  const read = async (
    fetchFeed: FetchFeed,
    appId: string,
    feed: Feed,
    signal: AbortSignal,
  ): Promise<Partial<Feed> & { lastRun: FeedRun }> => {
    const at = now();
    const nothing = { accepted: 0, rejected: 0, hidden: 0, rejects: [] };
    const run = (one: Pick<FeedRun, "outcome"> & Partial<FeedRun>): FeedRun => ({
      at,
      tookMs: now() - at,
      error: "",
      ...nothing,
      ...one,
    });
    try {
      const known = at - feed.importedAt < STALE_MS ? feed : NO_VERSION;
      const fetched = await fetchFeed(feed.url, known, signal);
      if (fetched === undefined) return { lastRun: run({ outcome: "unchanged" }) };
      try {
        const { notice, ...figures } = await importFeed(appId, feed, fetched.chunks, deps.catalog);
        const lastRun = run({ outcome: "imported", error: notice, ...figures });
        return { ...fetched.version, importedAt: at, lastRun };
      } finally {
        fetched.close();
      }
    } catch (error) {
      if (!isTold(error)) deps.report(error);
      return { lastRun: run({ outcome: "failed", error: isTold(error) ? sentence(error) : "internal error" }) };
    }
  };

  const readOne = async (fetchFeed: FetchFeed, appId: string, feedId: string, stop: AbortSignal): Promise<void> => {
    const claimed = await claim(appId, feedId, deps.newId());
    if (claimed === undefined) return;
    const renewal = setInterval(() => {
      change(appId, claimed, () => ({ claimedUntil: now() + CLAIM_MS })).catch(deps.report);
    }, RENEW_MS);
    try {
      const came = await read(fetchFeed, appId, claimed, stop);
      const released = { claimedBy: "", claimedUntil: 0 };
      if (stop.aborted) return await change(appId, claimed, () => released);
      const { lastRun } = came;
      metrics.count("feed_runs", { outcome: lastRun.outcome });
      metrics.count("feed_items", { outcome: "accepted" }, lastRun.accepted);
      metrics.count("feed_items", { outcome: "rejected" }, lastRun.rejected);
      metrics.count("feed_items", { outcome: "hidden" }, lastRun.hidden);
      const done = { ...came, ...released, nextAt: now() + claimed.everyMs, forced: false };
      await change(appId, claimed, (feed, tx) => {
        for (const operation of operationsOf(tx, claimed))
          tx.operations.put(operation.operationId, { ...operation, ...endOf(lastRun), endedAt: now() });
        const operationIds = feed.operationIds.filter((id) => !claimed.operationIds.includes(id));
        if (operationIds.length === 0) return { ...done, operationIds };
        // It was asked for anew while this reading was under way.
        const { nextAt, forced } = feed;
        return { ...done, ...NO_VERSION, nextAt, forced, operationIds };
      });
    } finally {
      clearInterval(renewal);
    }
  };

  return async (stop) => {
    if (fetchFeed === undefined) return;
    let after: { appId: string; feedId: string } | undefined;
    for (;;) {
      const page = await feeds.all(after, PAGE);
      for (const { appId, feed } of page) {
        if (stop.aborted) return;
        if (feed.nextAt <= now() && feed.claimedUntil <= now()) await readOne(fetchFeed, appId, feed.feedId, stop);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { appId: last.appId, feedId: last.feed.feedId };
    }
  };
}

function operationsOf(tx: Transaction, { operationIds }: Feed): Operation[] {
  return operationIds.map((id) => tx.operations.get(id)).filter((operation) => operation !== undefined);
}

/** Whether an error is about the feed and useful to whoever configured it. */
function isTold(error: unknown): error is Error {
  if (error instanceof FeedFailure || error instanceof BrokenFeed || error instanceof UnusableFile) return true;
  return error instanceof ConnectError || (error instanceof Error && "code" in error && /^Z_/.test(String(error.code)));
}

function sentence(error: Error): string {
  if (error instanceof ConnectError) return error.rawMessage;
  return "code" in error ? "The feed's gzip data is damaged or ends too early" : error.message;
}
