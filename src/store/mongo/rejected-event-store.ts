import { keyOf, keysOf } from "../keys.js";
import type { RejectedEventStore } from "../ports/rejected-event-store.js";
import type { Tables } from "./tables.js";

export function createRejectedEventStore({ rejectedEvents }: Tables): RejectedEventStore {
  return {
    get: (appId, rejectedId) => rejectedEvents.get(keyOf(appId, rejectedId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit, backwards: true };
      return (await rejectedEvents.entries(range)).map((entry) => entry.value);
    },
  };
}
