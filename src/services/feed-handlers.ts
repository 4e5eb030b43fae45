import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { type FeedSettings, feedEtag } from "../catalog/feed/schedule/feed-settings.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Feed } from "../domain/feed.js";
import { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import { FeedOutcome, FeedSchema } from "../gen/aisle/v1/feed_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import { timestampOf } from "./common-messages.js";
import { empty, type Mutation } from "./mutations.js";
import { inMemory, readPage } from "./paging.js";
import { requireApp } from "./require-app.js";
import { guarded, type ReportInternal } from "./wire/errors.js";

const OUTCOMES = {
  imported: FeedOutcome.IMPORTED,
  unchanged: FeedOutcome.UNCHANGED,
  failed: FeedOutcome.FAILED,
} as const;

/** The methods of the catalogue service for feeds. */
export function createFeedHandlers(deps: {
  readonly feeds: FeedSettings;
  readonly apps: Pick<AppStore, "get">;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}): Pick<ServiceImpl<typeof CatalogService>, "setFeed" | "getFeed" | "listFeeds" | "deleteFeed" | "runFeed"> {
  const { feeds, apps, mutation, report } = deps;
  return {
    setFeed: mutation(CatalogService.method.setFeed, async ({ appId, feed, etag }, once) => {
      await requireApp(apps, appId);
      if (feed === undefined) throw new InvalidArgument("feed", "missing");
      const { feedId, url, format, currency, full, interval: every } = feed;
      const everyMs = every === undefined ? 0 : durationMs(every);
      const setting = { feedId, url, format, currency, full, everyMs };
      const answer = (made: Feed) => ({ feed: feedMessage(made) });
      return once.change(answer, (change) => feeds.set(appId, setting, etag, change));
    }),

    getFeed: guarded(report, async ({ appId, feedId }) => {
      await requireApp(apps, appId);
      if (feedId === "") throw new InvalidArgument("feed_id", "missing");
      const feed = (await feeds.list(appId)).find((one) => one.feedId === feedId);
      if (feed === undefined) throw new NotFound("feed");
      return { feed: feedMessage(feed) };
    }),

    listFeeds: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      const { items, nextPageToken } = await readPage(CatalogService.method.listFeeds, request, {
        schema: FeedSchema,
        ...inMemory(await feeds.list(appId), ({ feedId }) => feedId),
        message: feedMessage,
      });
      return { feeds: items, nextPageToken };
    }),

    deleteFeed: mutation(CatalogService.method.deleteFeed, async ({ appId, feedId, etag }, once) => {
      await requireApp(apps, appId);
      return once.change<void>(empty, (change) => feeds.remove(appId, feedId, etag, change));
    }),

    runFeed: mutation(CatalogService.method.runFeed, async ({ appId, feedId, force }, once) => {
      await requireApp(apps, appId);
      return once.change<void>(empty, (change) => feeds.runNow(appId, feedId, force, change));
    }),
  };
}

function feedMessage(feed: Feed): MessageInitShape<typeof FeedSchema> {
  const { feedId, url, format, currency, full, everyMs, nextAt, claimedBy, lastRun } = feed;
  return {
    feedId,
    url,
    format,
    currency,
    full,
    interval: durationFromMs(everyMs),
    nextRunTime: timestampOf(nextAt),
    running: claimedBy !== "",
    etag: feedEtag(feed),
    ...(lastRun !== null && {
      lastRun: {
        startTime: timestampOf(lastRun.at),
        duration: durationFromMs(lastRun.tookMs),
        outcome: OUTCOMES[lastRun.outcome],
        accepted: lastRun.accepted,
        rejected: lastRun.rejected,
        hidden: lastRun.hidden,
        error: lastRun.error,
        rejects: lastRun.rejects.map(({ position, id, reason }) => ({
          position,
          productId: id,
          reason,
        })),
      },
    }),
  };
}
