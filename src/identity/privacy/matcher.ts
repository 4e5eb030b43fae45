import { keysOfAddresses } from "../../domain/address-keys.js";
import type { Person } from "../../domain/erasure.js";
import type { Event } from "../../domain/event.js";
import { isUserKey, type VisitorKey, visitorKeys } from "../../domain/ids.js";
import type { Order } from "../../domain/order.js";
import type { RejectedEvent } from "../../domain/rejected-event.js";
import type { Visitor } from "../../domain/visitor.js";
import { emailKey, readableEmail } from "../../parse/addresses.js";
import { namesEmail, spellingsOf } from "../../parse/addresses-in-text.js";

/** Whether a key of a contact is an e-mail address. */
export function isEmailKey(key: string): boolean {
  return key.startsWith("e:");
}

/** The e-mail addresses among keys of contacts, as keys and as people read them. */
export function emailsOf(contactKeys: readonly string[]): string[] {
  const keys = contactKeys.filter(isEmailKey).map((key) => key.slice(2));
  return [...new Set(keys.flatMap((key) => [key, readableEmail(key)]))];
}

/** Decides which records belong to a person. */
export interface Matcher {
  visitor(visitor: Visitor): boolean;
  /** Those ids of a visitor that hold the e-mail address. */
  addressKeys(visitor: Pick<Visitor, "keys">): readonly VisitorKey[];
  order(order: Order): boolean;
  event(event: Event): boolean;
  rejectedEvent(rejected: RejectedEvent): boolean;
}

/**
 * A record belongs to the person when it has one of the person's ids, whoever else it names. A device that two persons
 * shared goes with the one it is linked to; an event that names both goes with either. An event or an order also matches when a
 * text of it contains the e-mail address, escaped in a URL too. Ids are not looked for in texts: anybody may call a browser as
 * others write a text.
 *
 * A visitor with the address among its ids is the person's, as one that an event linked to the address is.
 *
 * A user id can be guessed, so it decides only where an event names no browser. Once the shop has given it to the person, it
 * decides only in the shop's own events. An order's browser and history decide whose it is.
 */
export function createMatcher(person: Person): Matcher {
  const keys = new Set(person.visitorKeys);
  const addresses = new Set(person.contactKeys);
  const contactIds = new Set(person.contactIds);
  const historyIds = new Set(person.historyIds);
  const orderIds = new Set(person.orderIds);
  const proven = new Set(person.provenKeys);
  const emails = emailsOf(person.contactKeys);

  const hasName = (text: string): boolean => {
    if (emails.length === 0) return false;
    return spellingsOf(text).some((spelling) => emails.some((email) => namesEmail(spelling, email)));
  };
  const hasIds = ({ visitor, isShops }: Event): boolean => {
    const named = visitorKeys(visitor);
    if (named.length !== 1 || !isUserKey(named[0] ?? "")) return named.some((key) => !isUserKey(key) && keys.has(key));
    return named.some((key) => keys.has(key) && (isShops || !proven.has(key)));
  };
  /** Somebody else may have sent an order of the same number first. */
  const namesNobodyElse = ({ visitor, contact }: Event): boolean =>
    visitorKeys(visitor).every(isUserKey) && (contact === null || keysOfAddresses(contact).length === 0);
  const event = (one: Event): boolean =>
    hasIds(one) ||
    (one.contact !== null && addresses.size > 0 && keysOfAddresses(one.contact).some((key) => addresses.has(key))) ||
    (one.order !== null && orderIds.has(one.order.orderId) && namesNobodyElse(one)) ||
    textsOf(one).some(hasName) ||
    Object.entries(one.extraFields).some(([name, value]) => hasName(value) || hasName(name));

  const addressKeys: Matcher["addressKeys"] = ({ keys: ids }) => ids.filter((key) => hasName(key.slice(2)));

  return {
    visitor: (visitor) =>
      contactIds.has(visitor.contactId) || visitor.keys.some((key) => keys.has(key)) || addressKeys(visitor).length > 0,
    addressKeys,
    order: (order) =>
      historyIds.has(order.visitorId) ||
      contactIds.has(order.contactId) ||
      visitorKeys(order.visitor).some((key) => !isUserKey(key) && keys.has(key)) ||
      textsIn(order).some(hasName),
    event,
    rejectedEvent: (rejected) => hasName(rejected.idempotencyKey) || (rejected.event !== null && event(rejected.event)),
  };
}

/** Every text of an event that a sender may have chosen: all but our own id of it, unknown fields, and an e-mail that is one. */
function textsOf({ eventId: _, extraFields: __, contact, ...rest }: Event): string[] {
  const email = contact === null || emailKey(contact.email) !== "" ? "" : contact.email;
  return textsIn([rest, { ...contact, email }]);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
