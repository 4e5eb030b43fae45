import type { Channel, Contact } from "../domain/contact.js";
import { confirmationKey } from "../domain/hook.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { countsAt } from "./ledger/statement-order.js";
import { statementTime } from "./ledger/statement-time.js";

/** A request for a subscription; the address may be somebody else's. */
export interface ConfirmationRequest {
  readonly channel: Channel;
  readonly at: number;
  readonly recordedAt: number;
  /** Event or call id. */
  readonly by: string;
  readonly eventId: string;
  readonly visitorKey: string;
}

/**
 * Keeps a subscription pending until the owner of the address confirms it; the status does not change. Does nothing
 * when it is pending already, when the contact is subscribed, or when a statement is newer than the request. Returns
 * true when it became pending.
 */
export function askConfirmation(tx: Transaction, contact: Contact, request: ConfirmationRequest): boolean {
  const { channel, by, eventId, visitorKey } = request;
  const subscription = contact[`${channel}Subscription`];
  const at = countsAt({ ...request, subscribed: true, isOrderedByArrival: false }, subscription);
  if (subscription.status === true || at === undefined) return false;
  const key = confirmationKey(contact.contactId, channel);
  if (tx.confirmations.get(key) !== undefined) return false;
  tx.confirmations.put(key, { askedAt: at, askedBy: by, eventId, visitorKey });
  return true;
}

/** Drops a pending confirmation, unless it was requested after this statement; null: always. */
export function endConfirmation(
  tx: Transaction,
  contactId: string,
  channel: Channel,
  against: { readonly at: number; readonly recordedAt: number } | null,
): void {
  const key = confirmationKey(contactId, channel);
  const waiting = tx.confirmations.get(key);
  if (waiting === undefined) return;
  if (against === null || waiting.askedAt <= statementTime(against, waiting.askedAt)) tx.confirmations.delete(key);
}
