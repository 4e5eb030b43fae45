/** Takes what frames showed, and what events say that may be a result of it, into the exposures and the tallies of an app. */

import type { Event } from "../domain/event.js";
import type { VisitorOrder } from "../domain/frame-exposure.js";
import { dayOf, type FrameTally, NO_TALLY, sumOfTallies, tallyKey } from "../domain/frame-tally.js";
import { MAILING_SECRETS } from "../domain/hook.js";
import { isVisitorKey, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { isApart, type Order, orderIdApart, sentOrderId } from "../domain/order.js";
import type { Shown } from "../recommend/shown.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { hasOrder, withAct, withOrder, withoutOrder, withShown } from "./exposures.js";
import { orderAmountOf } from "./order-amount.js";
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
  const isSigning = (tx.mailingSecrets.get(MAILING_SECRETS)?.signing.length ?? 0) > 0;
  for (const key of due) {
    if (tx.dueResults.get(key) === undefined) continue;
    tx.dueResults.delete(key);
    const event = isVisitorKey(key) ? undefined : tx.events.get(key);
    if (isVisitorKey(key)) checkVisitor(tx, people, key, isSigning);
    else if (event !== undefined) takeEvent(tx, people, event, isSigning);
  }
  return written(tx, [people.count()]);
}

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

function takeEvent(tx: Transaction, people: People, event: Event, isSigning: boolean): void {
  const keys = visitorKeys(event.visitor);
  const { actionType, order, products, recommendationIds, occurredAt, receivedAt } = event;
  const isView = actionType === "product_view";
  if (!event.bot && products.length > 0 && (isView || recommendationIds.length > 0)) {
    const holder = people.holderOf(keys, () => false);
    const productIds = products.map(({ productId, sku }) => productId || sku);
    if (holder !== undefined) {
      people.link(keys);
      people.change(holder, (exposure) =>
        withAct(exposure, { at: occurredAt, receivedAt, isView, productIds, recommendationIds }),
      );
    }
  }
  if (order === null || (actionType !== "order" && actionType !== "order_cancel")) return;
  takeOrder(tx, people, order.orderId, keys, isSigning);
}

/**
 * Puts an order with the person whose it is, and takes it from others whom an event about it names. Orders of the same
 * number that the order book keeps apart are copies of one order here: which of them is the true one cannot be known.
 */
function takeOrder(
  tx: Transaction,
  people: People,
  orderId: string,
  named: readonly VisitorKey[],
  isSigning: boolean,
): void {
  const main = tx.orders.get(orderId);
  const members = named.flatMap((key) => tx.visitors.get(tx.visitorKeys.get(key) ?? "")?.members ?? []);
  const apart = new Set([...(main?.apart ?? []), ...members].map((member) => orderIdApart(orderId, member)));
  const copies = [main, ...[...apart].map((id) => tx.orders.get(id))].filter((copy) => copy !== undefined);
  const owners = [...new Set(copies.flatMap((copy) => ownersOf(tx, copy)))];
  people.link(owners);
  const counted = copies.filter((copy) => counts(copy, main, isSigning));
  const person = people.personOf(owners);
  for (const id of [orderId, ...apart]) {
    const copy = counted.find((one) => one.orderId === id);
    const holder = copy && people.holderOf(owners, (exposure) => hasOrder(exposure, id));
    for (const key of new Set([...person, ...people.personOf(named)]))
      if (key !== holder && people.recordOf(key) !== undefined)
        people.change(key, (exposure) => withoutOrder(exposure, id));
    if (copy !== undefined && holder !== undefined)
      people.change(holder, (exposure) => withOrder(exposure, visitorOrder(copy)));
  }
}

/** A visitor gained keys, or orders of theirs are somebody else's now. */
function checkVisitor(tx: Transaction, people: People, key: VisitorKey, isSigning: boolean): void {
  const person = people.personOf([key]);
  people.touch(key);
  for (const one of person) {
    for (const { orderId } of people.recordOf(one)?.orders ?? []) {
      const order = tx.orders.get(orderId);
      // The age of an order takes it out of the store, and not out of the results.
      const isTheirs =
        order === undefined
          ? !isApart(orderId)
          : counts(order, tx.orders.get(sentOrderId(order)), isSigning) &&
            ownersOf(tx, order).some((owner) => person.includes(owner));
      if (!isTheirs) people.change(one, (exposure) => withoutOrder(exposure, orderId));
    }
  }
}

/**
 * A stranger cannot make up results: where the shop signs its events, only orders that the shop itself has sent count. A copy
 * that is kept apart is cancelled with the order of its number.
 */
function counts({ cancelled, bot, occurredAt, vouched }: Order, main: Order | undefined, isSigning: boolean): boolean {
  const isMainCancelled = main?.cancelled === true && main.occurredAt > 0;
  return !cancelled && !isMainCancelled && !bot && occurredAt > 0 && (vouched || !isSigning);
}

/** The keys of whom an order is, and of the visitors who are linked to its contact. */
function ownersOf(tx: Transaction, { visitor, contactId }: Order): readonly VisitorKey[] {
  const keys = visitorKeys(visitor);
  if (contactId === "") return keys;
  const contact = tx.contacts.get(contactId) ?? tx.contacts.get(tx.contactKeys.get(`i:${contactId}`) ?? "");
  for (const visitorId of contact?.visitorIds ?? []) {
    const linked = tx.visitors.get(visitorId);
    if (linked !== undefined && linked.contactId === contact?.contactId) keys.push(...linked.keys);
  }
  return [...new Set(keys)];
}

function visitorOrder({ orderId, occurredAt, receivedAt, payment }: Order): VisitorOrder {
  return { orderId, at: occurredAt, receivedAt, ...orderAmountOf(payment) };
}
