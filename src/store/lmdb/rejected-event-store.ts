import type { RejectedEventStore } from "../ports/rejected-event-store.js";
import type { Environment } from "./environment.js";
import { keyOf, keysOf } from "./keys.js";

export function createRejectedEventStore({ tables }: Environment): RejectedEventStore {
  return {
    get: async (appId, rejectedId) => tables.rejectedEvents.get(keyOf(appId, rejectedId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit };
      return tables.rejectedEvents.backwards(range).map((entry) => entry.value);
    },
  };
}
