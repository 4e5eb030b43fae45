import { InvalidArgument } from "../../domain/errors.js";
import type { Event } from "../../domain/event.js";

/** Reads events. A unit of work writes them. */
export interface EventStore {
  get(appId: string, eventId: string): Promise<Event | undefined>;
  /** Up to `limit` events with ids greater than `from`, or with `newestFirst` less than `from`. "" starts at that end. */
  list(appId: string, from: string, limit: number, newestFirst: boolean): Promise<Event[]>;
  /**
   * Events in an order in which none becomes visible before a place that was passed. A place is a text of the store, at most
   * 600 characters long. `place` is behind all events that are visible now; with `from` it is before those with greater ids.
   */
  place(appId: string, from?: string): Promise<string>;
  /**
   * Up to `limit` events behind a place, and with `upTo` before another one, which was given later. Rejects with
   * InvalidArgument("resume_token") for a text that is no place of this store.
   */
  after(appId: string, place: string, limit: number, upTo?: string): Promise<EventsAfter>;
}

export interface EventsAfter {
  readonly events: readonly Event[];
  /** No further events were visible. A page that is not the end may be empty. */
  readonly isEnd: boolean;
  /** The place behind the first `count` of the events. Behind all of them at the end, it is the end itself. */
  placeBehind(count: number): string;
}

export function noSuchPlace(): InvalidArgument {
  return new InvalidArgument("resume_token", "invalid", "the whole resume_token of a message from this store");
}
