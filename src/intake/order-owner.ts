/**
 * Decides who may change an order. Order numbers can be guessed, so knowing one proves nothing.
 *
 * The shop may change every order. Anybody else may change one that
 *
 *   - belongs to the visitor whom the event names by a cookie id: a `user_id` can be guessed as well;
 *   - belongs to a contact to whom that visitor is linked by proof. Naming the contact's address is no proof;
 *   - names no browser and came from exactly the same public address, if the event names none either. That lets an unsigned
 *     backend complete and cancel its own orders. A network, a private address or a proxy proves nothing.
 *
 * Events of all others leave the order unchanged.
 */
import { hash } from "node:crypto";
import type { Event } from "../domain/event.js";
import { visitorKeys } from "../domain/ids.js";
import type { Order } from "../domain/order.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import type { Identity } from "./effect.js";

/** A history that belongs to a visitor, not to a contact or to nobody. */
export function isVisitors(historyId: string): boolean {
  return historyId !== "" && !historyId.startsWith("contact:") && !historyId.startsWith("anonymous:");
}

/** Whether the public sender of an event may change the order. */
export function mayChange(
  tx: Transaction,
  order: Order,
  event: Event,
  identity: Identity,
  sender: PublicSender,
): boolean {
  const isOfBrowser = namesDevice(event);
  const visitor = isOfBrowser ? identity.visitor : undefined;
  if (visitor?.members.includes(order.visitorId)) return true;
  if (!isVisitors(order.visitorId) && isProvenContact(visitor, order.contactId)) return true;
  const isOther = identity.visitor !== undefined && !identity.visitor.members.includes(order.visitorId);
  if (isOfBrowser || namesDevice(order) || (isOther && isVisitors(order.visitorId))) return false;
  return order.sentFrom !== "" && order.sentFrom === sentFromOf(tx.appId, order.orderId, sender);
}

/** Whether the shop's copy of an order names the visitor whom a public copy named before, or a contact that is proven to be that visitor. */
export function isConfirmed(tx: Transaction, order: Order, { visitor, contact }: Identity): boolean {
  if (!isVisitors(order.visitorId)) return false;
  if (visitor !== undefined) return visitor.members.includes(order.visitorId);
  const owner = tx.visitors.get(tx.visitorKeys.get(visitorKeys(order.visitor)[0] ?? "") ?? "");
  return contact !== undefined && isProvenContact(owner, contact.contactId);
}

/** Characters of the tag: an attacker has few IPv4 addresses, and of these many have the same tag; IPv6 addresses are countless. */
const TAG = { ipv4: 6, ipv6: 16 };

/** Tells the public address of an order's sender from most others; "" where none is known. */
export function sentFromOf(appId: string, orderId: string, sender: PublicSender | undefined): string {
  const address = sender?.address ?? "";
  if (address === "") return "";
  const length = address.includes(":") ? TAG.ipv6 : TAG.ipv4;
  return hash("sha256", JSON.stringify([appId, orderId, address]), "hex").slice(0, length);
}

export function namesDevice({ visitor }: Pick<Event, "visitor">): boolean {
  return visitor.clientId !== "" || visitor.fingerprintId !== "";
}

function isProvenContact(visitor: Visitor | undefined, contactId: string): boolean {
  return contactId !== "" && visitor?.contactId === contactId && visitor.isProven;
}
