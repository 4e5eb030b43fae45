import { keysOfAddresses, keysOfContact } from "../../domain/address-keys.js";
import { CHANNELS, type Contact } from "../../domain/contact.js";
import type { Erasure, ErasureCounts, Person } from "../../domain/erasure.js";
import type { Event } from "../../domain/event.js";
import { type FrameExposure, lastTimeOf } from "../../domain/frame-exposure.js";
import { type Confirmation, confirmationKey } from "../../domain/hook.js";
import { visitorKeys } from "../../domain/ids.js";
import type { Order } from "../../domain/order.js";
import type { Visitor } from "../../domain/visitor.js";
import { hasOrder, withoutOrder } from "../../results/exposures.js";
import { withCounted } from "../../results/people.js";
import { sharesOf } from "../../results/person-results.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";
import { isNumberAlone, numberIdsOf } from "../contacts.js";
import { emailsOf } from "./matcher.js";
import { joined, withContact, withVisitor } from "./person.js";

/** A person, who asked, and what is known and removed after one more step. */
export interface Removed {
  readonly person: Person;
  readonly counts: ErasureCounts;
}

export function plus(counts: ErasureCounts, table: string, removed: number): ErasureCounts {
  return removed === 0 ? counts : { ...counts, [table]: (counts[table] ?? 0) + removed };
}

/** Removes the person's contacts and visitors made up to `upTo`, and collects their other ids. */
export function removeIdentity(tx: Transaction, { person, counts }: Removed, upTo: number): Removed {
  let removed: Removed = { person, counts };
  const contactIds = new Set(person.contactIds);
  for (const key of person.contactKeys) {
    const contactId = tx.contactKeys.get(key);
    if (contactId !== undefined) contactIds.add(contactId);
  }
  for (const contactId of contactIds) {
    const contact = tx.contacts.get(contactId);
    if (contact !== undefined && contact.createdAt <= upTo) removed = removeContact(tx, removed, contact);
    for (const id of numberIdsOf(contactId)) {
      const number = tx.contacts.get(id);
      if (isNumberAlone(number) && number.createdAt <= upTo) removed = removeContact(tx, removed, number);
    }
  }
  // The address may be an id of visitors. A scan finds other spellings of it.
  const ids = emailsOf(removed.person.contactKeys).flatMap((email) => [`c:${email}`, `f:${email}`, `u:${email}`]);
  const visitorKeys = joined(removed.person.visitorKeys, ids);
  removed = { ...removed, person: { ...removed.person, visitorKeys } };
  for (const key of visitorKeys) {
    const visitorId = tx.visitorKeys.get(key);
    const visitor = visitorId === undefined ? undefined : tx.visitors.get(visitorId);
    if (visitor !== undefined && visitor.createdAt <= upTo) removed = removeVisitor(tx, removed, visitor);
  }
  return removeExposures(tx, removed, upTo);
}

/** Removes what frames showed the person up to `startedAt`. The tallies stay: they name nobody. */
export function removeExposures(tx: Transaction, { person, counts }: Removed, startedAt: number): Removed {
  const removed = new Set<string>(person.visitorKeys);
  for (const key of removed) tx.dueResults.delete(key);
  const found = person.visitorKeys.flatMap((key) => {
    const exposure = tx.frameExposures.get(key);
    return exposure === undefined ? [] : [{ key, exposure, left: exposureSince(exposure, startedAt) }];
  });
  const changed = found.filter(({ exposure, left }) => left !== exposure);
  if (changed.length === 0) return { person, counts };
  const shares = sharesOf(found.map(({ left }) => left));
  for (const [i, left] of withCounted(
    found.map((one) => one.left),
    shares,
  ).entries()) {
    const { key = "" } = found[i] ?? {};
    if (lastTimeOf(left) === 0) tx.frameExposures.delete(key);
    else tx.frameExposures.put(key, left);
  }
  for (const { exposure } of changed)
    for (const link of exposure.links) {
      const other = removed.has(link) ? undefined : tx.frameExposures.get(link);
      if (other !== undefined)
        tx.frameExposures.put(link, { ...other, links: other.links.filter((key) => !removed.has(key)) });
    }
  return { person, counts: plus(counts, "frameExposures", changed.length) };
}

/** What is known since a time; the same when that is all. */
function exposureSince(exposure: FrameExposure, startedAt: number): FrameExposure {
  const since = {
    frames: exposure.frames.filter(({ firstAt }) => firstAt > startedAt),
    shownLists: exposure.shownLists.filter(({ at }) => at > startedAt),
    acts: exposure.acts.filter(({ receivedAt }) => receivedAt > startedAt),
    orders: exposure.orders.filter(({ receivedAt }) => receivedAt > startedAt),
  };
  const names = ["frames", "shownLists", "acts", "orders"] as const;
  const isAll = exposure.links.length === 0 && names.every((name) => since[name].length === exposure[name].length);
  return isAll ? exposure : { ...exposure, ...since, links: [] };
}

function removeContact(tx: Transaction, { person, counts }: Removed, contact: Contact): Removed {
  tx.contacts.delete(contact.contactId);
  for (const key of keysOfContact(contact))
    if (tx.contactKeys.get(key) === contact.contactId) tx.contactKeys.delete(key);
  return { person: withContact(person, contact), counts: plus(counts, "contacts", 1) };
}

export function removeVisitor(tx: Transaction, { person, counts }: Removed, visitor: Visitor): Removed {
  tx.visitors.delete(visitor.visitorId);
  for (const key of visitor.keys) if (tx.visitorKeys.get(key) === visitor.visitorId) tx.visitorKeys.delete(key);
  const contact = visitor.contactId === "" ? undefined : tx.contacts.get(visitor.contactId);
  if (contact?.visitorIds.includes(visitor.visitorId))
    tx.contacts.put(contact.contactId, {
      ...contact,
      visitorIds: contact.visitorIds.filter((visitorId) => visitorId !== visitor.visitorId),
    });
  return { person: withVisitor(person, visitor), counts: plus(counts, "visitors", 1) };
}

/** Removes an order of an erased person, also from the exposures of others; takes the person's claims from others' orders. */
export function eraseOrder(
  tx: Transaction,
  removed: Removed,
  orderId: string,
  isTheirs: (order: Order) => boolean,
): Removed {
  const order = tx.orders.get(orderId);
  if (order === undefined) return removed;
  if (!isTheirs(order)) {
    tx.orders.put(orderId, withoutClaims(order, removed.person));
    return removed;
  }
  for (const key of [...visitorKeys(order.visitor), ...order.claimedBy]) {
    const exposure = tx.frameExposures.get(key);
    if (exposure === undefined || !hasOrder(exposure, order.orderId)) continue;
    const left = withoutOrder(exposure, order.orderId);
    const counted = left.counted === null ? null : sharesOf([left]);
    tx.frameExposures.put(key, { ...left, counted });
  }
  return removeOrder(tx, removed, order);
}

/** Somebody else's order without what it says of a person: a browser that claims it, a history that has one of its number. */
export function withoutClaims(order: Order, { visitorKeys: keys, historyIds }: Person): Order {
  const claimedBy = order.claimedBy.filter((key) => !keys.includes(key));
  const apart = order.apart.filter((historyId) => !historyIds.includes(historyId));
  const isSame = claimedBy.length === order.claimedBy.length && apart.length === order.apart.length;
  return isSame ? order : { ...order, claimedBy, apart };
}

/** Removes an order with its row in the history. */
export function removeOrder(tx: Transaction, { person, counts }: Removed, order: Order): Removed {
  tx.orders.delete(order.orderId);
  if (order.occurredAt > 0) tx.deleteInteraction(order.visitorId, order.occurredAt, `order:${order.orderId}`);
  return {
    person: { ...person, orderIds: joined(person.orderIds, [order.orderId]) },
    counts: plus(counts, "orders", 1),
  };
}

/** Removes an event with its row in whichever history has it: the event does not say which. */
export function removeEvent(tx: Transaction, event: Event): void {
  tx.events.delete(event.eventId);
  tx.dueResults.delete(event.eventId);
  if (event.actionType !== "product_view" && event.actionType !== "add_to_cart") return;
  for (const historyId of historyIdsOf(tx, event)) tx.deleteInteraction(historyId, event.occurredAt, event.eventId);
}

function historyIdsOf(tx: Transaction, event: Event): Set<string> {
  const ids = new Set([
    `anonymous:${event.eventId}`,
    ...(event.order ? [`anonymous:order:${event.order.orderId}`] : []),
  ]);
  for (const key of visitorKeys(event.visitor)) {
    const visitorId = tx.visitorKeys.get(key);
    const visitor = visitorId === undefined ? undefined : tx.visitors.get(visitorId);
    for (const member of visitor?.members ?? []) ids.add(member);
  }
  for (const key of event.contact === null ? [] : keysOfAddresses(event.contact)) {
    const contactId = tx.contactKeys.get(key);
    if (contactId !== undefined) ids.add(contactId);
  }
  return ids;
}

/** Removes rows that no other record refers to. */
export function dropping(table: "idempotency" | "confirmations" | "outbox" | "deadHooks") {
  return (tx: Transaction, rows: readonly { readonly key: string }[], { person, counts }: Erasure): Removed => {
    for (const { key } of rows) tx[table].delete(key);
    return { person, counts: plus(counts, table, rows.length) };
  };
}

/** Hook messages about the person's contacts. */
export function ofContacts<R extends { readonly value: { readonly contactId: string } }>(
  rows: readonly R[],
  { person }: Pick<Erasure, "person">,
): readonly R[] {
  const contactIds = new Set(person.contactIds);
  return rows.filter(({ value }) => contactIds.has(value.contactId));
}

/** Pending subscriptions of the person's contacts, and those that the person requested. */
export function awaitedBy<R extends { readonly key: string; readonly value: Confirmation }>(
  rows: readonly R[],
  { person }: Pick<Erasure, "person">,
): readonly R[] {
  const visitorKeys = new Set<string>(person.visitorKeys);
  const keys = new Set(person.contactIds.flatMap((id) => CHANNELS.map((channel) => confirmationKey(id, channel))));
  return rows.filter(({ key, value }) => keys.has(key) || visitorKeys.has(value.visitorKey));
}
