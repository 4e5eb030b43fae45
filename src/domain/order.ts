import type { Money } from "./money.js";
import type { VisitorIds } from "./visitor.js";

export interface OrderLine {
  readonly productId: string;
  readonly quantity: number;
}

/** An order: what all events of one order id say together. */
export interface Order {
  readonly orderId: string;
  /** Visitor it is in the history of; "" while no copy named one. */
  readonly visitorId: string;
  readonly visitor: VisitorIds;
  readonly contactId: string;
  /** The fullest product list of all copies. */
  readonly lines: readonly OrderLine[];
  /** Newest status, "" when none was sent. */
  readonly status: string;
  readonly statusAt: number;
  readonly payment: Money;
  /** Earliest time of all copies; 0 while only a cancellation is known. */
  readonly occurredAt: number;
  readonly cancelled: boolean;
}
