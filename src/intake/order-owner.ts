/**
 * Decides who may change an order. Order numbers can be guessed, so knowing one proves nothing.
 *
 * The shop may change every order. Anybody else may change one that
 *
 *   - belongs to the visitor whom the event names by a cookie id: a `user_id` can be guessed as well;
 *   - belongs to a contact to whom that visitor is linked by proof. Naming the contact's address is no proof;
 *   - came from the same network, as long as the two do not name different visitors. That lets an unsigned backend
 *     complete and cancel its own orders.
 *
 * Events of all others leave the order unchanged.
 */
import { hash } from "node:crypto";
import type { Event } from "../domain/event.js";
import { visitorKeys } from "../domain/ids.js";
import type { Order } from "../domain/order.js";
import { type PublicSender, provesNetwork } from "../domain/public-sender.js";
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
  const visitor = namesDevice(event) ? identity.visitor : undefined;
  if (visitor?.members.includes(order.visitorId)) return true;
  if (!isVisitors(order.visitorId) && isProvenContact(visitor, order.contactId)) return true;
  const isOther = identity.visitor !== undefined && !identity.visitor.members.includes(order.visitorId);
  if (isOther && isVisitors(order.visitorId)) return false;
  return order.network !== "" && order.network === networkOfOrder(tx.appId, order.orderId, sender);
}

/** Whether the shop's copy of an order names the visitor whom a public copy named before, or a contact that is proven to be that visitor. */
export function isConfirmed(tx: Transaction, order: Order, { visitor, contact }: Identity): boolean {
  if (!isVisitors(order.visitorId)) return false;
  if (visitor !== undefined) return visitor.members.includes(order.visitorId);
  const owner = tx.visitors.get(tx.visitorKeys.get(visitorKeys(order.visitor)[0] ?? "") ?? "");
  return contact !== undefined && isProvenContact(owner, contact.contactId);
}

/**
 * Tells the network of an order's sender from most others: 16 bits are too few to find out which network it was. ""
 * where the network proves nothing.
 */
export function networkOfOrder(appId: string, orderId: string, sender: PublicSender | undefined): string {
  if (sender === undefined || !provesNetwork(sender)) return "";
  return hash("sha256", JSON.stringify([appId, orderId, sender.network]), "hex").slice(0, 4);
}

export function namesDevice({ visitor }: Pick<Event, "visitor">): boolean {
  return visitor.clientId !== "" || visitor.fingerprintId !== "";
}

function isProvenContact(visitor: Visitor | undefined, contactId: string): boolean {
  return contactId !== "" && visitor?.contactId === contactId && visitor.isProven;
}
