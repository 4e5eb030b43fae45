import type { Event } from "../../domain/event.js";

/** Reads events. A unit of work writes them. */
export interface EventStore {
  get(appId: string, eventId: string): Promise<Event | undefined>;
  /** Up to `limit` events with ids greater than `from`, or with `newestFirst` less than `from`. "" starts at that end. */
  list(appId: string, from: string, limit: number, newestFirst: boolean): Promise<Event[]>;
}
