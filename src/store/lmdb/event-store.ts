import { setImmediate } from "node:timers/promises";
import type { Event } from "../../domain/event.js";
import { idBehind } from "../../domain/ids.js";
import { type EventStore, unknownPosition } from "../ports/event-store.js";
import type { Environment } from "./environment.js";
import { after, FIRST, type Key, keyOf, keysOf, LAST, unpart } from "./keys.js";
import type { Entry, Table } from "./table.js";

/**
 * Ids in the order of commits: an event gets one behind all ids of its app, within the transaction that stores it. Another
 * process may have stored events since its id was proposed, or this one while a bulk call waited.
 */
export class EventOrder {
  /** The greatest id of each app, as far as the running batch has asked for it. */
  private readonly greatest = new Map<string, string>();

  next(appId: string, events: Table<Event>, proposed: string): string {
    const id = idBehind(proposed, this.greatest.get(appId) ?? greatestId(events, appId));
    this.greatest.set(appId, id);
    return id;
  }

  batchEnds(): void {
    this.greatest.clear();
  }
}

/** "" without events. */
function greatestId(events: Table<Event>, appId: string): string {
  const key = events.lastKey(keysOf(appId));
  return key === undefined ? "" : idIn(appId, key);
}

function idIn(appId: string, key: Key): string {
  return unpart(key.slice(keyOf(appId, "").length));
}

/** Events counted before yielding: 1 to 2 ms. */
const COUNTED_AT_ONCE = 1000;

/** A position is the id of the last event before it: ids are in the order of commits. */
const POSITION = "id:";

function idOf(position: string): string {
  if (!position.startsWith(POSITION)) throw unknownPosition();
  return position.slice(POSITION.length);
}

/** The newest event of each app that has any. */
export function newestEvents({ tables }: Environment): Entry<Event>[] {
  return tables.apps
    .entries({ start: FIRST, end: LAST })
    .flatMap(({ value: { appId } }) => tables.events.backwards({ ...keysOf(appId), limit: 1 }));
}

export function createEventStore({ tables }: Environment): EventStore {
  return {
    get: async (appId, eventId) => tables.events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const all = keysOf(appId);
      const entries = newestFirst
        ? tables.events.backwards({ start: all.start, end: from === "" ? all.end : keyOf(appId, from), limit })
        : tables.events.entries({ ...keysOf(appId, from), limit });
      return entries.map((entry) => entry.value);
    },
    count: async (appId, from, limit) => {
      let count = 0;
      let lastId = from;
      for (;;) {
        const most = Math.min(COUNTED_AT_ONCE, limit - count);
        const keys = tables.events.keys({ ...keysOf(appId, lastId), limit: most });
        count += keys.length;
        const last = keys.at(-1);
        if (last !== undefined) lastId = idIn(appId, last);
        if (keys.length < most || count >= limit) return { count, lastId };
        await setImmediate();
      }
    },
    position: async (appId, from) => POSITION + (from ?? greatestId(tables.events, appId)),
    after: async (appId, position, limit, upTo) => {
      const from = idOf(position);
      const last = upTo === undefined ? undefined : idOf(upTo);
      const range = keysOf(appId, from);
      if (last !== undefined && last <= from) return { events: [], isEnd: true, positionAfter: () => position };
      const end = last === undefined ? range.end : after(keyOf(appId, last));
      const events = tables.events.entries({ ...range, end, limit }).map(({ value }) => value);
      const isEnd = events.length < limit;
      const positionAfter = (count: number) => {
        if (isEnd && count === events.length && upTo !== undefined) return upTo;
        return POSITION + (events[count - 1]?.eventId ?? from);
      };
      return { events, isEnd, positionAfter };
    },
  };
}
