import type { FeedVersion, FetchFeed } from "../../../../src/catalog/feed/fetch-feed.js";
import { createReadFeeds } from "../../../../src/catalog/feed/schedule/read-feeds.js";
import { feedRunResult } from "../../../../src/services/feed-handlers.js";
import { openAisle } from "../../../fixtures/aisle.js";
import type { StoreKind } from "../../../fixtures/stores.js";

export const HOUR_MS = 3_600_000;
export const never = new AbortController().signal;
export const lines = (ids: readonly string[]) => `id,title\n${ids.map((id) => `${id},Title ${id}\n`).join("")}`;

/** An app whose feed a host of the test serves. */
export async function openShop(openStore: StoreKind["openStore"]) {
  const aisle = await openAisle(openStore);
  const { catalog, apps } = aisle.rpc;
  await apps.createApp({ app: { appId: "shop" } });
  const host = {
    text: lines(["p1", "p2", "p3"]),
    etag: "",
    asked: [] as FeedVersion[],
    error: undefined as Error | undefined,
    /** Called when the feed is half sent. */
    halfway: async () => {},
  };
  const fetchFeed: FetchFeed = async (_url, known) => {
    host.asked.push({ etag: known.etag, lastModified: known.lastModified });
    if (host.error !== undefined) throw host.error;
    if (host.etag !== "" && known.etag === host.etag) return undefined;
    const { text, etag } = host;
    async function* chunks() {
      yield Buffer.from(text.slice(0, 20));
      await host.halfway();
      yield Buffer.from(text.slice(20));
    }
    return { version: { etag, lastModified: "" }, totalBytes: null, chunks: chunks(), close: () => {} };
  };
  let claims = 0;
  const faults: unknown[] = [];
  const reader = () =>
    createReadFeeds({
      feeds: aisle.store.feeds,
      unitOfWork: aisle.store.unitOfWork,
      catalog: aisle.clients.catalog,
      fetchFeed,
      now: aisle.now,
      newId: () => `claim-${++claims}`,
      metrics: aisle.metrics,
      resultOf: feedRunResult,
      report: (error) => faults.push(error),
    });
  const set = (more: object = {}) =>
    catalog.setFeed({
      appId: "shop",
      feed: { feedId: "main", url: "https://shop.example/f.csv", full: true, interval: { seconds: 3600n }, ...more },
    });
  const feed = async () => (await catalog.listFeeds({ appId: "shop" })).feeds[0];
  const shown = async () =>
    (await catalog.listProducts({ appId: "shop" })).products
      .filter(({ hidden }) => !hidden)
      .map(({ productId }) => productId);
  const read = async (stop = never) => {
    aisle.now.at += 1000;
    await reader()(stop);
  };
  const runNow = async () => (await catalog.runFeed({ appId: "shop", feedId: "main" })).operation?.operationId ?? "";
  const operation = async (operationId: string) =>
    (await aisle.rpc.operations.getOperation({ appId: "shop", operationId })).operation;
  return { ...aisle, runNow, operation, catalog, host, reader, read, set, feed, shown, faults };
}
