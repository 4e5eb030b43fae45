import type { OrderStore } from "../ports/order-store.js";
import type { Environment } from "./environment.js";
import { keyOf } from "./keys.js";
import { scanValues } from "./scan.js";

export function createOrderStore({ tables }: Environment): OrderStore {
  return {
    get: async (appId, orderId) => tables.orders.get(keyOf(appId, orderId)),
    scan: (appId) => scanValues(tables.orders, appId),
  };
}
