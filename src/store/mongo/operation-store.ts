import { keyOf, keysOf } from "../keys.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { Tables } from "./tables.js";

export function createOperationStore({ operations }: Tables): OperationStore {
  return {
    get: (appId, operationId) => operations.get(keyOf(appId, operationId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit, backwards: true };
      return (await operations.entries(range)).map(({ value }) => value);
    },
  };
}
