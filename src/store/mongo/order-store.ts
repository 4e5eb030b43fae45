import { keyOf } from "../keys.js";
import type { OrderStore } from "../ports/order-store.js";
import { scanValues } from "./scan.js";
import type { Tables } from "./tables.js";

export function createOrderStore({ orders }: Tables): OrderStore {
  return {
    get: (appId, orderId) => orders.get(keyOf(appId, orderId)),
    scan: (appId) => scanValues(orders, appId),
  };
}
