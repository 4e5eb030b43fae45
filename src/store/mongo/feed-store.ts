import { MAX_FEEDS } from "../../domain/feed.js";
import { after, appIdOf, FIRST, keyOf } from "../keys.js";
import type { FeedStore } from "../ports/feed-store.js";
import type { Tables } from "./tables.js";

export function createFeedStore({ feeds }: Tables): FeedStore {
  return {
    list: async (appId) => (await feeds.list(appId, "", MAX_FEEDS)).map(({ value }) => value),
    all: async (behind, limit) => {
      const start = behind === undefined ? FIRST : after(keyOf(behind.appId, behind.feedId));
      const found = await feeds.entriesAcross(start, limit);
      return found.map(({ key, value }) => ({ appId: appIdOf(key), feed: value }));
    },
  };
}
