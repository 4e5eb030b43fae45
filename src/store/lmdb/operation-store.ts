import type { OperationStore } from "../ports/operation-store.js";
import type { Environment } from "./environment.js";
import { keyOf, keysOf } from "./keys.js";

export function createOperationStore({ tables }: Environment): OperationStore {
  return {
    get: async (appId, operationId) => tables.operations.get(keyOf(appId, operationId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit };
      return tables.operations.backwards(range).map(({ value }) => value);
    },
  };
}
