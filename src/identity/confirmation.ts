import type { Channel, Contact } from "../domain/contact.js";
import { confirmationKey } from "../domain/hook.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { statementTime } from "./ledger/statement-time.js";

/** Somebody wants a subscription, whose address may not be theirs. */
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
 * Lets a subscription wait for the word of who reads the address's mail: the status stays as it is. Nothing, when it
 * waits already, when the contact is subscribed, or when it knows something newer than the request. True when it is news.
 */
export function askConfirmation(tx: Transaction, contact: Contact, request: ConfirmationRequest): boolean {
  const { channel, by, eventId, visitorKey } = request;
  const { status, changedAt, changedBy } = contact[`${channel}Subscription`];
  const at = statementTime(request, changedAt);
  if (status === true || at < changedAt || (at === changedAt && by <= changedBy)) return false;
  const key = confirmationKey(contact.contactId, channel);
  if (tx.confirmations.get(key) !== undefined) return false;
  tx.confirmations.put(key, { askedAt: at, askedBy: by, eventId, visitorKey });
  return true;
}

/** Ends the wait for a confirmation, unless the request for it is newer than this statement against it; null: in any case. */
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
