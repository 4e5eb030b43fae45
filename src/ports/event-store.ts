import type { Event } from "../domain/event.js";

/** Reads events. They are written in a unit of work. */
export interface EventStore {
  get(appId: string, eventId: string): Promise<Event | undefined>;
  /** Up to `limit` events after (or, newest first, before) the id `from`; "" begins at the end concerned. */
  list(appId: string, from: string, limit: number, newestFirst: boolean): Promise<Event[]>;
}
