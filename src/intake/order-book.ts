import type { Event } from "../domain/event.js";
import { type VisitorIds, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { NO_MONEY } from "../domain/money.js";
import { type Order, type OrderLine, orderIdApart, visitorApart } from "../domain/order.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { type Effect, type Identity, NO_OUTCOME, type Outcome } from "./effect.js";
import { historyIdOf } from "./history.js";
import { isConfirmed, isVisitors, mayChange, namesDevice, sentFromOf } from "./order-owner.js";

export const FOREIGN = "the order belongs to somebody else; this event has no effect on it";
export const KEPT_APART = "the order id is that of somebody else's order; this one is kept apart from it";

/**
 * Keeps the order book: copies of one order id are one order (browser and server both send it). Identity comes from
 * any copy, the list of products from the fullest, the status from the newest; a cancellation takes the order out of
 * the history, also when it comes first.
 *
 * Only those may change an order to whom it belongs (`order-owner.ts`). Order ids can be guessed before they are given
 * out, so a visitor whose id is taken by somebody unproven has an order of that id apart. What the shop says replaces
 * what strangers said before.
 */
export const keepOrderBook: Effect = { needs: "order", actions: ["order", "order_cancel"], apply: takeOrder };

function takeOrder(tx: Transaction, event: Event, identity: Identity, sender: PublicSender | undefined): Outcome {
  if (event.order === null) return NO_OUTCOME;
  const { orderId } = event.order;
  if (sender === undefined) removeApart(tx, orderId, identity);
  const known = tx.orders.get(orderId);
  if (sender === undefined || known === undefined || mayChange(tx, known, event, identity, sender))
    return keep(tx, orderId, standing(tx, known, event, identity, sender), known, event, identity, sender);
  // A cancellation that comes first from a stranger holds for that stranger alone.
  if (!known.vouched && known.occurredAt === 0 && event.actionType === "order")
    return keep(tx, orderId, undefined, known, event, identity, sender);
  const apart = placeApart(tx, known, event, identity);
  if (apart === undefined) {
    claim(tx, known, event);
    return noted(known.cancelled ? CANCELLED : FOREIGN);
  }
  const own = tx.orders.get(apart);
  if (own === undefined && event.actionType === "order_cancel") return noted(FOREIGN);
  keep(tx, apart, own, own, event, identity, sender);
  const visitorId = visitorApart(apart);
  if (!known.apart.includes(visitorId))
    tx.orders.put(orderId, { ...known, apart: [...known.apart, visitorId].slice(-MOST_APART) });
  return noted(KEPT_APART);
}

/** Orders of one id that are known to be apart, the newest. */
const MOST_APART = 20;

const CANCELLED = "the order is cancelled and stays out of the history";

function noted(note: string): Outcome {
  return { visitorChanged: false, notes: [note] };
}

/** Writes the order made of `base` and the event in place of `known`. */
function keep(
  tx: Transaction,
  orderId: string,
  base: Order | undefined,
  known: Order | undefined,
  event: Event,
  identity: Identity,
  sender: PublicSender | undefined,
): Outcome {
  const merged = mergeOrder(orderId, base, event, identity, sentFromOf(tx.appId, orderId, sender));
  const vouched = merged.vouched || (sender === undefined && (event.products.length > 0 || merged.cancelled));
  const after = {
    ...merged,
    ...paidBy(base, event, sender),
    ...earliest(tx, merged, base, known),
    apart: known?.apart ?? [],
    claimedBy: claims(known, base),
    vouched,
  };
  tx.orders.put(orderId, after);
  if (known) {
    takeOut(tx, known);
    for (const key of visitorKeys(known.visitor))
      if (!visitorKeys(after.visitor).includes(key)) tx.dueResults.put(key, "");
  }
  putIn(tx, after);
  tx.markChanged();
  return base?.cancelled && event.actionType === "order" ? noted(CANCELLED) : NO_OUTCOME;
}

/**
 * What was paid, by the newest word of the best sender: the shop itself, otherwise a server, otherwise the first browser. So
 * the shop's later amount counts, as after a refund.
 */
function paidBy(
  known: Order | undefined,
  { order, sender: sentBy, occurredAt }: Event,
  sender: PublicSender | undefined,
): Pick<Order, "payment" | "paidBy" | "paidAt"> {
  const said = order?.payment ?? NO_MONEY;
  const by = sender === undefined ? "shop" : sentBy;
  const before = known ?? { payment: NO_MONEY, paidBy: "", paidAt: 0 };
  const isBetter = PAYMENT_RANK[by] > PAYMENT_RANK[before.paidBy];
  const isNewer = by === before.paidBy && by !== "browser" && occurredAt >= before.paidAt;
  if (said.amount !== "" && (before.payment.amount === "" || isBetter || isNewer))
    return {
      payment: { amount: said.amount, currency: said.currency || before.payment.currency },
      ...{ paidBy: by, paidAt: occurredAt },
    };
  return { payment: before.payment, paidBy: before.paidBy, paidAt: before.paidAt };
}

const PAYMENT_RANK: Readonly<Record<Order["paidBy"], number>> = { "": 0, browser: 0, server: 1, shop: 2 };

const MOST_CLAIMS = 4;

/** The shop's order that names no browser may be that of a browser which names it: results of lists ask for it, nothing else. */
function claim(tx: Transaction, known: Order, { actionType, visitor }: Event): void {
  const devicesOf = (ids: VisitorIds) => visitorKeys({ ...ids, userId: "" });
  const [device] = devicesOf(visitor);
  if (actionType !== "order" || device === undefined || devicesOf(known.visitor).length > 0) return;
  if (known.claimedBy.includes(device) || known.claimedBy.length >= MOST_CLAIMS) return;
  tx.orders.put(known.orderId, { ...known, claimedBy: [...known.claimedBy, device] });
}

/** Browsers of copies that the shop's word replaces: it may name none. */
function claims(known: Order | undefined, base: Order | undefined): readonly VisitorKey[] {
  if (known === undefined || base !== undefined) return base?.claimedBy ?? [];
  const devices = visitorKeys({ ...known.visitor, userId: "" });
  return [...new Set([...known.claimedBy, ...devices.slice(0, 1)])].slice(-MOST_CLAIMS);
}

/** The shop's copy may replace that of a visitor who is linked to its contact: it is the same order, at the earlier time. */
function earliest(
  tx: Transaction,
  merged: Order,
  base: Order | undefined,
  known: Order | undefined,
): Pick<Order, "occurredAt" | "receivedAt"> {
  const { occurredAt, receivedAt, contactId } = merged;
  const own = { occurredAt, receivedAt };
  if (base !== undefined || known === undefined || known.occurredAt === 0 || occurredAt === 0) return own;
  const owners = visitorKeys(known.visitor).map((key) => tx.visitors.get(tx.visitorKeys.get(key) ?? ""));
  const isLinked = [known, ...owners].some((one) => one?.contactId === contactId);
  if (contactId === "" || !isLinked) return own;
  return {
    occurredAt: Math.min(occurredAt, known.occurredAt),
    receivedAt: known.receivedAt === 0 ? receivedAt : Math.min(receivedAt, known.receivedAt),
  };
}

/** What stands of the order before an event that may change it: nothing of strangers once the shop names its products. */
function standing(
  tx: Transaction,
  known: Order | undefined,
  event: Event,
  identity: Identity,
  sender: PublicSender | undefined,
): Order | undefined {
  if (known === undefined || known.vouched || sender !== undefined) return known;
  if (event.actionType !== "order" || event.products.length === 0) return known;
  return isConfirmed(tx, known, identity) ? known : undefined;
}

/**
 * Where the order of a visitor is kept whose order id is that of another order; undefined when it is not kept: the shop
 * has said whose the order is, or the visitor is linked to its contact, and so sees it already.
 */
function placeApart(tx: Transaction, known: Order, event: Event, { visitor }: Identity): string | undefined {
  if (known.vouched || visitor === undefined || !namesDevice(event)) return undefined;
  if (known.contactId !== "" && known.contactId === visitor.contactId) return undefined;
  const places = placesApart(known.orderId, visitor);
  return places.find((place) => tx.orders.get(place) !== undefined) ?? orderIdApart(known.orderId, visitor.visitorId);
}

/** The shop's word for an order counts for its visitor in place of what was kept apart. */
function removeApart(tx: Transaction, orderId: string, { visitor }: Identity): void {
  if (visitor === undefined) return;
  for (const place of placesApart(orderId, visitor)) {
    const own = tx.orders.get(place);
    if (own === undefined) continue;
    takeOut(tx, own);
    tx.orders.delete(place);
    for (const key of visitorKeys(own.visitor)) tx.dueResults.put(key, "");
  }
}

function placesApart(orderId: string, { members }: Visitor): string[] {
  return members.map((member) => orderIdApart(orderId, member));
}

/** Returns the order after one more of its events. */
function mergeOrder(
  orderId: string,
  before: Order | undefined,
  event: Event,
  identity: Identity,
  sentFrom: string,
): Order {
  const order = event.order!;
  const isOrder = event.actionType === "order";
  const base: Order = before ?? {
    orderId,
    visitorId: "",
    visitor: event.visitor,
    contactId: "",
    lines: [],
    status: "",
    statusAt: 0,
    payment: NO_MONEY,
    paidBy: "",
    paidAt: 0,
    apart: [],
    claimedBy: [],
    occurredAt: 0,
    receivedAt: event.receivedAt,
    cancelled: false,
    bot: false,
    vouched: false,
    sentFrom,
  };
  // A status from the future came from a wrong clock: any later one replaces it.
  const newer = order.status !== "" && (event.occurredAt >= base.statusAt || base.statusAt > event.receivedAt);
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
    payment: base.payment,
    paidBy: base.paidBy,
    paidAt: base.paidAt,
    apart: base.apart,
    claimedBy: base.claimedBy,
    occurredAt,
    receivedAt: base.receivedAt,
    cancelled: base.cancelled || !isOrder,
    bot,
    vouched: base.vouched,
    sentFrom: base.sentFrom,
  };
}

/** How well a history id names somebody: a visitor, better than a contact, better than nobody. */
function rank(historyId: string): number {
  if (historyId === "") return 0;
  if (historyId.startsWith("anonymous:")) return 1;
  return isVisitors(historyId) ? 3 : 2;
}

function linesOf(event: Event): OrderLine[] {
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of event.products)
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  return [...quantities].map(([productId, quantity]) => ({ productId, quantity }));
}

/** Returns the list with more products; the known one when they are equal. */
function fullest(known: readonly OrderLine[], seen: readonly OrderLine[]): readonly OrderLine[] {
  return seen.length > known.length ? seen : known;
}

/** Takes an order out of its history. */
export function takeOut(tx: Transaction, order: Order): void {
  if (order.occurredAt > 0) tx.deleteInteraction(order.visitorId, order.occurredAt, refOf(order));
}

/** Puts an order into its history, unless it is cancelled or names no product. */
export function putIn(tx: Transaction, order: Order): void {
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
