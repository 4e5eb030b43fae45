import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { feedFormatMessage, feedFormatWord } from "../catalog/feed/feed-formats.js";
import { type AskedRun, type FeedSettings, feedEtag } from "../catalog/feed/schedule/feed-settings.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Feed, FeedRun } from "../domain/feed.js";
import { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import { FeedOutcome, FeedRunSchema, FeedSchema } from "../gen/aisle/v1/feed_pb.js";
import type { Operations } from "../operations/operations.js";
import type { AppStore } from "../store/ports/app-store.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { empty, type Mutation } from "./mutations.js";
import { operationMessage, resultText } from "./operation-messages.js";
import { inMemory, readPage } from "./paging.js";
import { requireApp } from "./require-app.js";

const OUTCOMES = {
  imported: FeedOutcome.IMPORTED,
  unchanged: FeedOutcome.UNCHANGED,
  failed: FeedOutcome.FAILED,
} as const;

/** A format that the settings reject, with the other fields that they reject. */
const UNKNOWN_FORMAT = "unknown";

/** The methods of the catalogue service for feeds. */
export function createFeedHandlers(deps: {
  readonly feeds: FeedSettings;
  readonly operations: Pick<Operations, "removeOld">;
  readonly apps: Pick<AppStore, "get">;
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}): Pick<ServiceImpl<typeof CatalogService>, "setFeed" | "getFeed" | "listFeeds" | "deleteFeed" | "runFeed"> {
  const { feeds, operations, apps, mutation, report } = deps;
  return {
    setFeed: mutation(CatalogService.method.setFeed, async ({ appId, feed, etag }, once) => {
      await requireApp(apps, appId);
      if (feed === undefined) throw new InvalidArgument("feed", "missing");
      const { feedId, url, currency, full, interval: every } = feed;
      const everyMs = every === undefined ? 0 : durationMs(every);
      const format = feedFormatWord(feed.format) ?? UNKNOWN_FORMAT;
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

    runFeed: mutation(CatalogService.method.runFeed, async ({ appId, feedId, force, validateOnly }, once) => {
      await requireApp(apps, appId);
      const answer = ({ operation, isNew }: AskedRun) => {
        const operationId = validateOnly && isNew ? "" : operation.operationId;
        return { operation: operationMessage(appId, { ...operation, operationId }) };
      };
      const answered = await once.change(answer, (change) => feeds.runNow(appId, feedId, force, change));
      if (!validateOnly) operations.removeOld(appId);
      return answered;
    }),
  };
}

function feedMessage(feed: Feed): MessageInitShape<typeof FeedSchema> {
  const { feedId, url, format, currency, full, everyMs, nextAt, claimedBy, lastRun } = feed;
  return {
    feedId,
    url,
    format: feedFormatMessage(format),
    currency,
    full,
    interval: durationFromMs(everyMs),
    nextRunTime: timestampOf(nextAt),
    running: claimedBy !== "",
    etag: feedEtag(feed),
    ...(lastRun !== null && { lastRun: runMessage(lastRun) }),
  };
}

function runMessage({ at, tookMs, outcome, rejects, ...run }: FeedRun): MessageInitShape<typeof FeedRunSchema> {
  const { accepted, rejected, hidden, error } = run;
  return {
    startTime: timestampOf(at),
    duration: durationFromMs(tookMs),
    outcome: OUTCOMES[outcome],
    accepted,
    rejected,
    hidden,
    error,
    rejects: rejects.map(({ position, id, reason }) => ({ position, productId: id, reason })),
  };
}

/** A run as the result of its operation. */
export function feedRunResult(run: FeedRun): string {
  return resultText({ case: "feedRun", value: create(FeedRunSchema, runMessage(run)) });
}
