import type { Channel, Contact, Subscription, SubscriptionChange } from "../domain/contact.js";
import type { Transaction } from "../ports/unit-of-work.js";

/** Somebody said that a contact is (not) subscribed. */
export interface Statement {
  readonly channel: Channel;
  readonly subscribed: boolean;
  readonly at: number;
  /** Event or change id; decides between statements of the same time. */
  readonly by: string;
  readonly recordedAt: number;
  readonly source: SubscriptionChange["source"];
  readonly eventId: string;
  readonly reason: string;
  /** Only fills an unknown status. */
  readonly onlyUnknown: boolean;
}

export type Stated = { readonly contact: Contact; readonly effect: "changed" | "confirmed" | "older" | "known" };

/** Applies a statement to a contact and enters a change into the ledger. Older knowledge never replaces newer. */
export function state(tx: Transaction, contact: Contact, statement: Statement): Stated {
  const before = contact[`${statement.channel}Subscription`];
  if (statement.onlyUnknown && before.status !== null) return { contact, effect: "known" };
  if (statement.at < before.changedAt || (statement.at === before.changedAt && statement.by <= before.changedBy))
    return { contact, effect: "older" };
  const next: Subscription = { status: statement.subscribed, changedAt: statement.at, changedBy: statement.by };
  const after: Contact = { ...contact, [`${statement.channel}Subscription`]: next };
  tx.contacts.put(after.contactId, after);
  if (before.status === statement.subscribed) return { contact: after, effect: "confirmed" };
  const changeId = `${statement.by}:${statement.channel}`;
  tx.changes.put(changeId, {
    changeId,
    contactId: contact.contactId,
    channel: statement.channel,
    from: before.status,
    to: statement.subscribed,
    occurredAt: statement.at,
    recordedAt: statement.recordedAt,
    source: statement.source,
    eventId: statement.eventId,
    reason: statement.reason,
  });
  return { contact: after, effect: "changed" };
}
