import type { Feed } from "../domain/feed.js";

/** Reads the feeds of apps. They are written in a unit of work. */
export interface FeedStore {
  /** In order of their ids. */
  list(appId: string): Promise<Feed[]>;
  /** The first `limit` feeds of all apps in order of app and id, those behind `after`. */
  all(
    after: { readonly appId: string; readonly feedId: string } | undefined,
    limit: number,
  ): Promise<{ readonly appId: string; readonly feed: Feed }[]>;
}
