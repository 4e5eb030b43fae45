import { keyOf, keysOf } from "../keys.js";
import type { EventStore } from "../ports/event-store.js";
import type { Tables } from "./tables.js";

export function createEventStore({ events }: Tables): EventStore {
  return {
    get: (appId, eventId) => events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const all = keysOf(appId);
      const entries = newestFirst
        ? await events.entries({ ...all, ...(from !== "" && { end: keyOf(appId, from) }), limit, backwards: true })
        : await events.list(appId, from, limit);
      return entries.map((entry) => entry.value);
    },
  };
}
