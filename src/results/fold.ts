/** Takes what frames showed, and what events say that may be a result of it, into the exposures and the tallies of an app. */
import type { Event } from "../domain/event.js";
import type { VisitorOrder } from "../domain/frame-exposure.js";
import { dayOf, type FrameTally, NO_CURRENCY, NO_TALLY, sumOfTallies, tallyKey } from "../domain/frame-tally.js";
import { isSigningAt, MAILING_SECRETS } from "../domain/hook.js";
import { isVisitorKey, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { type Money, NO_MONEY } from "../domain/money.js";
import { isApart, type Order, orderIdApart, sentOrderId } from "../domain/order.js";
import type { Shown } from "../recommend/frames/shown.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { hasOrder, withAct, withOrder, withoutOrder, withShown } from "./exposures.js";
import { People } from "./people.js";

/** An answer, and when it was given. */
export interface ShownAt {
  readonly shown: Shown;
  readonly at: number;
}

/** What changes in tallies, by their keys. */
export type TallyChanges = ReadonlyMap<string, FrameTally>;

const NO_CHANGES: TallyChanges = new Map();

/** Writes what frames showed. */
export function takeShown(tx: Transaction, list: readonly ShownAt[]): TallyChanges {
  if (tx.app() === undefined) return NO_CHANGES;
  const people = new People(tx);
  const answers = new Map<string, FrameTally>();
  for (const { shown, at } of list) {
    const { frameId, variant, experimentAt, visitorKey } = shown;
    people.change(visitorKey, (exposure) => withShown(exposure, shown, at));
    people.link([visitorKey, ...shown.visitorKeys]);
    const day = dayOf(at);
    const keys = [
      { frameId, day, variant: "", experimentAt: 0 },
      { frameId, day, variant, experimentAt },
    ].map(tallyKey);
    for (const key of new Set(keys))
      answers.set(key, sumOfTallies(answers.get(key) ?? NO_TALLY, { ...NO_TALLY, exposures: 1 }));
  }
  return written(tx, [answers, people.count()]);
}

/**
 * Takes in what is due, by its keys in `dueResults`: events, and visitors who gained or lost something. What another process
 * took in meanwhile is due no longer.
 */
export function takeDue(tx: Transaction, due: readonly string[]): TallyChanges {
  if (tx.app() === undefined) return NO_CHANGES;
  const people = new People(tx);
  const secrets = tx.mailingSecrets.get(MAILING_SECRETS);
  // Earlier versions did not say when an order was received.
  const isSigned: IsSigned = ({ receivedAt }) => isSigningAt(secrets, receivedAt || Number.POSITIVE_INFINITY);
  for (const key of due) {
    if (tx.dueResults.get(key) === undefined) continue;
    tx.dueResults.delete(key);
    const event = isVisitorKey(key) ? undefined : tx.events.get(key);
    if (isVisitorKey(key)) checkVisitor(tx, people, key, isSigned);
    else if (event !== undefined) takeEvent(tx, people, event, isSigned);
  }
  return written(tx, [people.count()]);
}

/** Whether the shop signed its events when an order became known. What came before that needs no signature. */
type IsSigned = (order: Pick<Order, "receivedAt">) => boolean;

function written(tx: Transaction, changes: readonly TallyChanges[]): TallyChanges {
  const all = new Map<string, FrameTally>();
  for (const some of changes)
    for (const [key, tally] of some) all.set(key, sumOfTallies(all.get(key) ?? NO_TALLY, tally));
  for (const [key, tally] of all)
    if (!isNothing(tally)) tx.frameTallies.put(key, sumOfTallies(tx.frameTallies.get(key) ?? NO_TALLY, tally));
  return all;
}

function isNothing({ exposures, visitors, clicked, ordered, clicks, afterClick, withoutClick }: FrameTally): boolean {
  const counts = [exposures, visitors, clicked, ordered, clicks, afterClick.length, withoutClick.length];
  return counts.every((count) => count === 0);
}

function takeEvent(tx: Transaction, people: People, event: Event, isSigned: IsSigned): void {
  const keys = visitorKeys(event.visitor);
  const { actionType, order, products, recommendationIds, occurredAt, receivedAt } = event;
  const isView = actionType === "product_view";
  const isOrder = order !== null && actionType === "order";
  if (!event.bot && products.length > 0 && (isView || recommendationIds.length > 0)) {
    const holder = people.holderOf(keys, () => false);
    const act = {
      ...{ at: occurredAt, receivedAt, isView, orderId: isOrder ? order.orderId : "" },
      ...{ productIds: products.map(({ productId, sku }) => productId || sku), recommendationIds },
    };
    if (holder !== undefined) people.change(holder, (exposure) => withAct(exposure, act));
  }
  if (order !== null && (isOrder || actionType === "order_cancel"))
    takeOrder(tx, people, order.orderId, keys, isSigned);
}

/** Puts an order with the person whose it is, and takes it from others whom an event about it names. */
function takeOrder(
  tx: Transaction,
  people: People,
  number: string,
  named: readonly VisitorKey[],
  isSigned: IsSigned,
): void {
  const main = tx.orders.get(number);
  const members = named.flatMap((key) => tx.visitors.get(tx.visitorKeys.get(key) ?? "")?.members ?? []);
  const idsApart = [...new Set([...(main?.apart ?? []), ...members])].map((member) => orderIdApart(number, member));
  const apart = idsApart.map((id) => tx.orders.get(id)).filter((order) => order !== undefined);
  const orders = ordersOfNumber(main, apart, isSigned);
  const holders = new Map<string, VisitorKey | undefined>();
  for (const order of orders) holders.set(order.orderId, holderOfOrder(tx, people, order, isSigned));
  const concerned = [named, ...[main, ...apart].map((order) => order && candidatesOf(tx, order).flat())];
  for (const id of [number, ...idsApart]) {
    const holder = holders.get(id);
    for (const key of new Set(concerned.flatMap((keys = []) => people.personOf(keys))))
      if (key !== holder && people.recordOf(key) !== undefined)
        people.change(key, (exposure) => withoutOrder(exposure, id));
  }
  for (const order of orders) {
    const holder = holders.get(order.orderId);
    if (holder !== undefined) people.change(holder, (exposure) => withOrder(exposure, visitorOrder(order, isSigned)));
  }
}

/** A copy that came later than this is not a copy of an order that names no browser. */
const COPY_MS = 24 * 3600_000;

/**
 * The orders of one number that count. What the order book keeps apart is an order of somebody else, but for one that names
 * a browser beside an order that names none: a backend sent that one first, and both are one.
 *
 * A stranger cannot make up results: where the shop signs its events, only orders that the shop itself has sent count.
 */
function ordersOfNumber(known: Order | undefined, others: readonly Order[], isSigned: IsSigned): readonly Order[] {
  const standing = (order: Order) => !order.cancelled && !order.bot && order.occurredAt > 0;
  if (known?.vouched === true) return standing(known) ? [known] : [];
  const apart = others.filter((order) => !isSigned(order));
  const main = known !== undefined && isSigned(known) ? undefined : known;
  if (main === undefined) return apart.filter(standing);
  if (main.occurredAt === 0 || deviceKeys(main.visitor).length > 0) return [main, ...apart].filter(standing);
  const [copy, ...more] = apart.filter(standing);
  if (copy === undefined || more.length > 0) return [main, ...apart].filter(standing);
  if (main.cancelled) return [];
  const isCopy = Math.abs(copy.receivedAt - main.receivedAt) < COPY_MS && copy.occurredAt - main.occurredAt < COPY_MS;
  if (!isCopy) return [main, copy];
  const payment = main.payment.amount === "" ? copy.payment : main.payment;
  const occurredAt = Math.min(main.occurredAt, copy.occurredAt);
  const claimedBy = [...main.claimedBy, ...deviceKeys(copy.visitor)];
  return [{ ...main, payment, occurredAt, claimedBy, bot: false }];
}

/**
 * Whose an order may be: of the browser that it names; otherwise of a browser that a public copy named, of its user id, or of a
 * visitor who is linked to its contact.
 */
function candidatesOf(tx: Transaction, { visitor, claimedBy, contactId }: Order): readonly (readonly VisitorKey[])[] {
  const devices = deviceKeys(visitor);
  if (devices.length > 0) return [devices];
  const contact = tx.contacts.get(contactId) ?? tx.contacts.get(tx.contactKeys.get(`i:${contactId}`) ?? "");
  const linked = (contact?.visitorIds ?? []).flatMap((visitorId) => {
    const one = tx.visitors.get(visitorId);
    return one !== undefined && one.contactId === contact?.contactId ? [one.keys] : [];
  });
  return [...claimedBy.map((key) => [key]), visitorKeys(visitor), ...linked].filter((keys) => keys.length > 0);
}

/** Of several, the person who saw a list last before the order has it. The shop's word makes its ids one person. */
function holderOfOrder(tx: Transaction, people: People, order: Order, isSigned: IsSigned): VisitorKey | undefined {
  if (order.vouched) people.link(visitorKeys(order.visitor));
  const counted = visitorOrder(order, isSigned);
  const seenAt = (keys: readonly VisitorKey[]) => people.lastSeenBefore(keys, counted);
  const [keys] = [...candidatesOf(tx, order)].sort((a, b) => seenAt(b) - seenAt(a));
  return keys && people.holderOf(keys, (exposure) => hasOrder(exposure, order.orderId));
}

/** A visitor gained keys, or orders of theirs are somebody else's now. */
function checkVisitor(tx: Transaction, people: People, key: VisitorKey, isSigned: IsSigned): void {
  people.touch(key);
  const held = people.personOf([key]).flatMap((one) => people.recordOf(one)?.orders ?? []);
  // The age of an order takes it out of the store, and not out of the results.
  for (const number of new Set(held.map(sentOrderId)))
    if (tx.orders.get(number) !== undefined || held.some(isApart)) takeOrder(tx, people, number, [key], isSigned);
}

function deviceKeys(visitor: Order["visitor"]): readonly VisitorKey[] {
  return visitorKeys({ ...visitor, userId: "" });
}

/** Where the shop signs its events, only the payment that it sent counts. Earlier versions did not say who sent it. */
function visitorOrder(order: Order, isSigned: IsSigned): VisitorOrder {
  const { orderId, occurredAt, receivedAt, payment, paidBy } = order;
  const isShops = !isSigned(order) || paidBy === "shop" || paidBy === "";
  return { orderId, at: occurredAt, receivedAt, ...orderAmountOf(isShops ? payment : NO_MONEY) };
}

const MILLIONTHS = 1e6;
/** Payments beyond it are no payments: one order must not hide all others. */
const MOST_PAID = 1e10;

/** What an order adds to a revenue, and of which currency. */
function orderAmountOf({ amount, currency }: Money): Pick<VisitorOrder, "currency" | "amount"> {
  const paid = Number(amount);
  if (amount === "" || !(paid >= 0 && paid <= MOST_PAID)) return { currency: "", amount: 0 };
  return { currency: currency.toUpperCase() || NO_CURRENCY, amount: Math.round(paid * MILLIONTHS) };
}
