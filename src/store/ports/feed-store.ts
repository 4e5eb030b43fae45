import type { Feed } from "../../domain/feed.js";

/** Reads the feeds of apps. A unit of work writes them. */
export interface FeedStore {
  /** In id order. */
  list(appId: string): Promise<Feed[]>;
  /** Up to `limit` feeds of all apps that follow `after`, ordered by app, then feed id. */
  all(
    after: { readonly appId: string; readonly feedId: string } | undefined,
    limit: number,
  ): Promise<{ readonly appId: string; readonly feed: Feed }[]>;
}
