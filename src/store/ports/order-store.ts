import type { Order } from "../../domain/order.js";

/** Reads the order book. A unit of work writes it. */
export interface OrderStore {
  get(appId: string, orderId: string): Promise<Order | undefined>;
  /** All orders in batches, in order-id order. */
  scan(appId: string): AsyncIterable<readonly Order[]>;
}
