import type { Event } from "../../domain/event.js";
import type { EventStore } from "../ports/event-store.js";
import type { Environment } from "./environment.js";
import { FIRST, keyOf, keysOf, LAST } from "./keys.js";
import type { Entry } from "./table.js";

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
  };
}
