import type { VisitorIds } from "./ids.js";
import type { Money } from "./money.js";

export interface OrderLine {
  readonly productId: string;
  readonly quantity: number;
}

/** An order: what all events of one order id say together. */
export interface Order {
  /** As sent, or from `orderIdApart`. */
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
  /** The shop itself has said what was ordered and by whom, or that it was cancelled. */
  readonly vouched: boolean;
  /** Tells the network of its first public copy from others (`intake/order-owner.ts`); "" for none. */
  readonly network: string;
}

/** No id of a sender holds one. */
const BORDER = "\n";

/** The id of an order that is kept apart from others of the same id, see `intake/order-book.ts`. */
export function orderIdApart(orderId: string, visitorId: string): string {
  return `${orderId}${BORDER}${visitorId}`;
}

/** The order id as its senders write it. */
export function sentOrderId({ orderId }: Pick<Order, "orderId">): string {
  const border = orderId.indexOf(BORDER);
  return border === -1 ? orderId : orderId.slice(0, border);
}
