import type { EventStore } from "../../ports/event-store.js";
import type { Environment } from "./environment.js";
import { after, afterPrefix, keyOf } from "./keys.js";

export function createEventStore({ tables }: Environment): EventStore {
  return {
    get: async (appId, eventId) => tables.events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const first = keyOf(appId, "");
      const last = afterPrefix(first);
      const entries = newestFirst
        ? tables.events.backwards({ start: first, end: from === "" ? last : keyOf(appId, from), limit })
        : tables.events.entries({ start: from === "" ? first : after(keyOf(appId, from)), end: last, limit });
      return entries.map((entry) => entry.value);
    },
  };
}
