import type { Event } from "../domain/event.js";
import { type Money, NO_MONEY } from "../domain/money.js";
import type { Order, OrderLine } from "../domain/order.js";
import { type Effect, type Identity, NO_OUTCOME } from "../ports/effect.js";
import type { Transaction } from "../ports/unit-of-work.js";
import { historyIdOf } from "./history.js";

/**
 * Keeps the order book: copies of one order id are one order (browser and server both send it). Identity comes from
 * any copy, the list of products from the fullest, the status from the newest; a cancellation takes the order out of
 * the history, also when it comes first.
 */
export const keepOrderBook: Effect = (tx, event, identity) => {
  if (event.order === null || (event.actionType !== "order" && event.actionType !== "order_cancel")) return NO_OUTCOME;
  const before = tx.orders.get(event.order.orderId);
  const after = mergeOrder(before, event, identity);
  tx.orders.put(after.orderId, after);
  if (before) takeOut(tx, before);
  putIn(tx, after);
  tx.markChanged();
  return before?.cancelled && event.actionType === "order"
    ? { visitorChanged: false, notes: ["the order is cancelled and stays out of the history"] }
    : NO_OUTCOME;
};

/** The order after one more event that speaks of it. */
export function mergeOrder(before: Order | undefined, event: Event, identity: Identity): Order {
  const order = event.order!;
  const isOrder = event.actionType === "order";
  const base: Order = before ?? {
    orderId: order.orderId,
    visitorId: "",
    visitor: event.visitor,
    contactId: "",
    lines: [],
    status: "",
    statusAt: 0,
    payment: NO_MONEY,
    occurredAt: 0,
    cancelled: false,
    bot: false,
  };
  const newer = order.status !== "" && event.occurredAt >= base.statusAt;
  const isFirst = base.occurredAt === 0;
  const occurredAt = isOrder
    ? isFirst
      ? event.occurredAt
      : Math.min(base.occurredAt, event.occurredAt)
    : base.occurredAt;
  const named = historyIdOf(event, identity);
  const bot = isOrder ? event.bot && (isFirst || base.bot) : base.bot;
  return {
    orderId: base.orderId,
    visitorId: rank(named) > rank(base.visitorId) ? named : base.visitorId,
    visitor: {
      clientId: base.visitor.clientId || event.visitor.clientId,
      fingerprintId: base.visitor.fingerprintId || event.visitor.fingerprintId,
      userId: base.visitor.userId || event.visitor.userId,
    },
    contactId: base.contactId || identity.contact?.contactId || "",
    lines: isOrder ? fullest(base.lines, linesOf(event)) : base.lines,
    status: newer ? order.status : base.status,
    statusAt: newer ? event.occurredAt : base.statusAt,
    payment: pick(base.payment, order.payment),
    occurredAt,
    cancelled: base.cancelled || !isOrder,
    bot,
  };
}

/** How well a history id names somebody: a visitor, better than a contact, better than nobody. */
function rank(historyId: string): number {
  if (historyId === "") return 0;
  if (historyId.startsWith("anonymous:")) return 1;
  return historyId.startsWith("contact:") ? 2 : 3;
}

function linesOf(event: Event): OrderLine[] {
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of event.products)
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }));
}

/** The list with more products; the first one known when they are equal. */
function fullest(known: readonly OrderLine[], seen: readonly OrderLine[]): readonly OrderLine[] {
  return seen.length > known.length ? seen : known;
}

function pick(known: Money, seen: Money): Money {
  return known.amount === "" ? seen : known;
}

function takeOut(tx: Transaction, order: Order): void {
  if (order.occurredAt > 0) tx.deleteInteraction(order.visitorId, order.occurredAt, refOf(order));
}

function putIn(tx: Transaction, order: Order): void {
  if (order.cancelled || order.occurredAt === 0 || order.lines.length === 0) return;
  tx.putInteraction(order.visitorId, {
    type: "order",
    at: order.occurredAt,
    productIds: order.lines.map((line) => line.productId),
    ref: refOf(order),
    ...(order.bot && { bot: true }),
  });
}

function refOf(order: Order): string {
  return `order:${order.orderId}`;
}
