import type { EventStore } from "../../ports/event-store.js";
import type { Environment } from "./environment.js";
import { keyOf, keysOf } from "./keys.js";

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
