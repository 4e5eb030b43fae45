import type { EventStore } from "../../ports/event-store.js";
import { afterPrefix, keyOf } from "./keys.js";
import type { Tables } from "./tables.js";

export function createEventStore({ events }: Tables): EventStore {
  return {
    get: (appId, eventId) => events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const start = keyOf(appId, "");
      const end = from === "" ? afterPrefix(start) : keyOf(appId, from);
      const entries = newestFirst
        ? await events.entries({ start, end, limit, backwards: true })
        : await events.list(appId, from, limit);
      return entries.map((entry) => entry.value);
    },
  };
}
