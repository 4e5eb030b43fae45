import type { Channel, Contact } from "../domain/contact.js";
import { confirmationKey } from "../domain/mailing.js";
import type { Transaction } from "../ports/unit-of-work.js";

/** Somebody wants a subscription, whose address may not be theirs. */
export interface Wish {
  readonly channel: Channel;
  readonly at: number;
  /** Event or call id. */
  readonly by: string;
  readonly eventId: string;
  readonly visitorKey: string;
}

/**
 * Lets a subscription wait for the word of who reads the address's mail: the status stays as it is. Nothing, when it
 * waits already, when the contact is subscribed, or when it knows something newer than the wish. True when it is news.
 */
export function askConfirmation(tx: Transaction, contact: Contact, wish: Wish): boolean {
  const { channel, at, by, eventId, visitorKey } = wish;
  const { status, changedAt, changedBy } = contact[`${channel}Subscription`];
  if (status === true || at < changedAt || (at === changedAt && by <= changedBy)) return false;
  const key = confirmationKey(contact.contactId, channel);
  if (tx.confirmations.get(key) !== undefined) return false;
  tx.confirmations.put(key, { askedAt: at, askedBy: by, eventId, visitorKey });
  return true;
}

/** What is said of a subscription after the wish for it, by `at`, ends the wait for its confirmation. */
export function endConfirmation(tx: Transaction, contactId: string, channel: Channel, at: number): void {
  const key = confirmationKey(contactId, channel);
  const waiting = tx.confirmations.get(key);
  if (waiting !== undefined && waiting.askedAt <= at) tx.confirmations.delete(key);
}
