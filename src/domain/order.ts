import type { Money } from "./money.js";
import type { VisitorIds } from "./visitor.js";

export interface OrderLine {
  readonly productId: string;
  readonly quantity: number;
}

/** An order: what all events of one order id say together. */
export interface Order {
  readonly orderId: string;
  /** The history it is in: a visitor's, else a contact's, else one of its own. */
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
  /** Robots sent all copies that are known. */
  readonly bot: boolean;
}
