import { InvalidArgument } from "../../domain/errors.js";
import type { Event } from "../../domain/event.js";

/** Reads events. A unit of work writes them. */
export interface EventStore {
  get(appId: string, eventId: string): Promise<Event | undefined>;
  /** Up to `limit` events with ids greater than `from`, or with `newestFirst` less than `from`. "" starts at that end. */
  list(appId: string, from: string, limit: number, newestFirst: boolean): Promise<Event[]>;
  /** Counts events with ids greater than `from`, at most `limit`, and decodes none. `lastId` is that of the last one, else `from`. */
  count(appId: string, from: string, limit: number): Promise<{ readonly count: number; readonly lastId: string }>;
  /**
   * A position in the order in which events become visible: behind all that are visible now, and with `from` before those of them
   * that have greater ids. It is a text of the store, less than 600 characters long. No event ever becomes visible before it.
   */
  position(appId: string, from?: string): Promise<string>;
  /**
   * Up to `limit` events behind a position, with `upTo` those before a later one. Rejects with InvalidArgument("resume_token")
   * for a text that is no position of this store.
   */
  after(appId: string, position: string, limit: number, upTo?: string): Promise<EventsAfter>;
}

export interface EventsAfter {
  readonly events: readonly Event[];
  /** No further events were visible. A page that is not the end may be empty. */
  readonly isEnd: boolean;
  /** The position behind the first `count` of the events. Behind all of them at the end, it is `upTo`. */
  positionAfter(count: number): string;
}

export function unknownPosition(): InvalidArgument {
  return new InvalidArgument("resume_token", "invalid", "the whole resume_token of a message from this store");
}
