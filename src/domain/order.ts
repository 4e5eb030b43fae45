import type { VisitorIds, VisitorKey } from "./ids.js";
import type { Money } from "./money.js";

export interface OrderLine {
  readonly productId: string;
  readonly quantity: number;
}

/** An order: all events of one order id merged. */
export interface Order {
  /** As sent, or from `orderIdApart`. */
  readonly orderId: string;
  /** Its history: a visitor's, otherwise a contact's, otherwise one of its own. */
  readonly visitorId: string;
  readonly visitor: VisitorIds;
  readonly contactId: string;
  /** The fullest product list of all copies. */
  readonly lines: readonly OrderLine[];
  /** Newest status, "" when none was sent. */
  readonly status: string;
  readonly statusAt: number;
  readonly payment: Money;
  /** Who said the payment; "" for nobody, and in records of earlier versions. */
  readonly paidBy: "shop" | "server" | "browser" | "";
  /** When it was said. */
  readonly paidAt: number;
  /** Earliest time of all copies, by their senders; 0 while only a cancellation is known. */
  readonly occurredAt: number;
  /** When the first copy or cancellation was received; 0 in records of earlier versions. */
  readonly receivedAt: number;
  readonly cancelled: boolean;
  /** True when crawlers sent all known copies. */
  readonly bot: boolean;
  /** The shop itself has confirmed the order and its owner, or cancelled it. */
  readonly vouched: boolean;
  /** Browsers that public copies named before the shop's word replaced these; the newest 4. */
  readonly claimedBy: readonly VisitorKey[];
  /** Visitors whose orders of the same id are kept apart, see `orderIdApart`; the newest 20. */
  readonly apart: readonly string[];
  /** Tells the public address of its first unsigned copy from others (`intake/order-owner.ts`); "" for none. */
  readonly sentFrom: string;
}

/** No sender's id contains it. */
const BORDER = "\n";

/** The id of an order that is stored apart from others of the same id, see `intake/order-book.ts`. */
export function orderIdApart(orderId: string, visitorId: string): string {
  return `${orderId}${BORDER}${visitorId}`;
}

export function isApart({ orderId }: Pick<Order, "orderId">): boolean {
  return orderId.includes(BORDER);
}

/** The visitor in the id of an order that is stored apart; "" for another order. */
export function visitorApart(orderId: string): string {
  return isApart({ orderId }) ? orderId.slice(orderId.indexOf(BORDER) + BORDER.length) : "";
}

/** The order id as senders write it. */
export function sentOrderId({ orderId }: Pick<Order, "orderId">): string {
  const border = orderId.indexOf(BORDER);
  return border === -1 ? orderId : orderId.slice(0, border);
}
