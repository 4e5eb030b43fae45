import type { Order } from "../domain/order.js";

/** Reads the order book. It is written in a unit of work. */
export interface OrderStore {
  get(appId: string, orderId: string): Promise<Order | undefined>;
  /** All orders in batches, in order of order ids. */
  scan(appId: string): AsyncIterable<readonly Order[]>;
}
