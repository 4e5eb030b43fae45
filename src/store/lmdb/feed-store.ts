import { MAX_FEEDS } from "../../domain/feed.js";
import { appIdOf } from "../keys.js";
import type { FeedStore } from "../ports/feed-store.js";
import type { Environment } from "./environment.js";
import { after, FIRST, keyOf, keysOf, LAST } from "./keys.js";

export function createFeedStore({ tables }: Environment): FeedStore {
  return {
    list: async (appId) => tables.feeds.entries({ ...keysOf(appId), limit: MAX_FEEDS }).map(({ value }) => value),
    all: async (behind, limit) => {
      const start = behind === undefined ? FIRST : after(keyOf(behind.appId, behind.feedId));
      return tables.feeds
        .entries({ start, end: LAST, limit })
        .map(({ key, value }) => ({ appId: appIdOf(key), feed: value }));
    },
  };
}
