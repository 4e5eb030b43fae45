import type { Now } from "../../../domain/clock.js";
import { check, checkAll, InvalidArgument, NotFound } from "../../../domain/errors.js";
import { checkEtag, etagOf } from "../../../domain/etag.js";
import { type Feed, MAX_FEEDS } from "../../../domain/feed.js";
import { newOperation, type Operation, type OperationFault } from "../../../domain/operation.js";
import type { FeedStore } from "../../../store/ports/feed-store.js";
import type { Change, UnitOfWork } from "../../../store/ports/unit-of-work.js";
import { FEED_FORMATS } from "../feed-reader.js";

/** The settings of a feed. */
export type FeedSetting = Pick<Feed, "feedId" | "url" | "format" | "currency" | "full" | "everyMs">;

/**
 * The feeds of apps. Each method rejects with NotFound("app") or NotFound("feed"), and with Conflict("etag_mismatch") when
 * `etag` is given and outdated.
 */
export interface FeedSettings {
  /** Creates or replaces a feed, which is then due at once. Rejects with InvalidArgument. */
  set(appId: string, setting: FeedSetting, etag?: string, change?: Change<Feed>): Promise<Feed>;
  list(appId: string): Promise<Feed[]>;
  remove(appId: string, feedId: string, etag?: string, change?: Change<void>): Promise<void>;
  /**
   * Makes a feed due, to be read even if its host reports no change. With `force`, this one read may hide more than half
   * of the products. Resolves with the operation that the read will end; one that waits for the read already is joined.
   */
  runNow(appId: string, feedId: string, force: boolean, change?: Change<AskedRun>): Promise<AskedRun>;
}

export interface AskedRun {
  readonly operation: Operation;
  /** False for an operation that waited already. */
  readonly isNew: boolean;
}

const REMOVED: OperationFault = { code: 5, message: "The feed was removed", reason: "FEED_NOT_FOUND" };

const MAX_URL = 2000;
const LEAST_EVERY_MS = 5 * 60_000;
const MOST_EVERY_MS = 30 * 24 * 3_600_000;

export function createFeedSettings(deps: {
  readonly feeds: FeedStore;
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  readonly newId: () => string;
}): FeedSettings {
  const { feeds, unitOfWork, now, newId } = deps;
  const inOneWork: UnitOfWork["run"] = (appId, work) => unitOfWork.run(appId, work);
  return {
    async set(appId, setting, etag, change = inOneWork) {
      const checked = checkSetting(setting);
      const others = (await feeds.list(appId)).filter(({ feedId }) => feedId !== checked.feedId);
      if (others.length >= MAX_FEEDS) throw new InvalidArgument("feed", "invalid", `at most ${MAX_FEEDS} of an app`);
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const before = tx.feeds.get(checked.feedId);
        checkEtag(etag, feedEtag(before));
        const feed: Feed = {
          ...checked,
          forced: false,
          nextAt: now(),
          // A read in progress loses its claim, so that its result is ignored.
          claimedBy: "",
          claimedUntil: 0,
          etag: "",
          lastModified: "",
          importedAt: 0,
          lastRun: before?.lastRun ?? null,
          operationIds: before?.operationIds ?? [],
        };
        tx.feeds.put(feed.feedId, feed);
        return feed;
      });
    },
    list: (appId) => feeds.list(appId),
    remove: (appId, feedId, etag, change = inOneWork) =>
      change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const before = tx.feeds.get(feedId);
        if (before === undefined) throw new NotFound("feed");
        checkEtag(etag, feedEtag(before));
        tx.feeds.delete(feedId);
        for (const operationId of before.operationIds) {
          const operation = tx.operations.get(operationId);
          if (operation !== undefined)
            tx.operations.put(operationId, { ...operation, state: "failed", endedAt: now(), fault: REMOVED });
        }
      }),
    runNow(appId, feedId, force, change = inOneWork) {
      const asked: Operation = { ...newOperation(newId(), "run_feed", now()), startedAt: 0 };
      return change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        const feed = tx.feeds.get(feedId);
        if (feed === undefined) throw new NotFound("feed");
        const waiting = feed.operationIds.map((id) => tx.operations.get(id)).find((one) => one?.startedAt === 0);
        const due = { ...feed, nextAt: now(), etag: "", lastModified: "" };
        if (waiting !== undefined) {
          tx.feeds.put(feedId, { ...due, forced: force || feed.forced });
          return { operation: waiting, isNew: false };
        }
        tx.operations.put(asked.operationId, asked);
        tx.feeds.put(feedId, { ...due, forced: force, operationIds: [...feed.operationIds, asked.operationId] });
        return { operation: asked, isNew: true };
      });
    },
  };
}

/** The etag of a feed's settings, "" for no feed. Reading the feed does not change it. */
export function feedEtag(feed: FeedSetting | undefined): string {
  return feed === undefined ? "" : etagOf([feed.feedId, feed.url, feed.format, feed.currency, feed.full, feed.everyMs]);
}

/** Returns the settings to store. Throws InvalidArgument that names the field. */
function checkSetting(setting: FeedSetting): FeedSetting {
  const { feedId, url, format, currency, full, everyMs } = setting;
  const read = URL.canParse(url) && url.length <= MAX_URL ? new URL(url) : undefined;
  const isUsable = read?.protocol === "https:" && read.username === "" && read.password === "";
  const isKnown = format === "" || FEED_FORMATS.some((known) => known === format);
  const isTime = everyMs === 0 || (everyMs >= LEAST_EVERY_MS && everyMs <= MOST_EVERY_MS);
  checkAll(
    check(feedId !== "", "feed.feed_id", "missing"),
    check(/^[A-Za-z0-9_-]{0,64}$/.test(feedId), "feed.feed_id", "invalid", "1 to 64 letters, digits, _ or -"),
    check(url !== "", "feed.url", "missing"),
    check(url === "" || isUsable, "feed.url", "invalid", "an https address without user and password"),
    check(isKnown, "feed.format", "invalid", FEED_FORMATS.map((format) => format.toUpperCase()).join(", ")),
    check(/^([A-Z]{3})?$/.test(currency), "feed.currency", "invalid", "an ISO 4217 code such as EUR"),
    check(everyMs !== 0, "feed.interval", "missing"),
    check(isTime, "feed.interval", "invalid", "5 minutes to 30 days"),
  );
  return { feedId, url: read?.href ?? "", format, currency, full, everyMs };
}
