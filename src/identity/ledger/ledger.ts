import { keysOfAddresses } from "../../domain/address-keys.js";
import {
  type Channel,
  type Contact,
  type Subscription,
  type SubscriptionChange,
  UNKNOWN,
} from "../../domain/contact.js";
import type { Evidence } from "../../domain/evidence.js";
import { emptyLedger, LEDGER_HEAD, seal, withoutPerson } from "../../domain/ledger.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";
import { endConfirmation } from "../confirmation.js";
import { announceChange } from "../hooks/announce.js";
import type { Suppressions } from "../suppressions.js";
import { countsAt } from "./statement-order.js";

/** A statement that a contact is (or is not) subscribed. */
export interface Statement {
  readonly channel: Channel;
  readonly subscribed: boolean;
  /** When it was made, by its sender. */
  readonly at: number;
  /** Event or change id; decides between statements of the same time. */
  readonly by: string;
  readonly recordedAt: number;
  readonly source: SubscriptionChange["source"];
  readonly eventId: string;
  readonly reason: string;
  readonly evidence?: Evidence | null | undefined;
  /** Only fills an unknown status. */
  readonly onlyUnknown: boolean;
  /** For the ledger's entry: 32 random hex digits, new ones at each call. */
  readonly newSalt: NewSalt;
  /** For the hook message: unique over the installation. */
  readonly newId: () => string;
  /** Undefined where the statement subscribes nobody. */
  readonly suppressions?: Suppressions | undefined;
}

export type NewSalt = () => string;

export type Stated = { readonly contact: Contact; readonly effect: Effect };

/** `suppressed`: the address is suppressed, and the statement is not one of its person that came later. */
type Effect = "changed" | "confirmed" | "older" | "known" | "suppressed";

/** Calls and clicks: they are made when they arrive. Events and lists have times of their senders. */
const ORDERED_BY_ARRIVAL: ReadonlySet<SubscriptionChange["source"]> = new Set(["rpc", "confirmation", "unsubscribe"]);

/**
 * Applies a statement to a contact and enters it into the ledger. An older statement changes nothing and is not
 * entered. A newer one is entered even if it says the same.
 */
export function state(tx: Transaction, contact: Contact, statement: Statement): Stated {
  const before = contact[`${statement.channel}Subscription`];
  if (statement.onlyUnknown && before.status !== null) return { contact, effect: "known" };
  const isOrderedByArrival = ORDERED_BY_ARRIVAL.has(statement.source);
  const counted = countsAt({ ...statement, isOrderedByArrival }, before);
  if (counted === undefined) return { contact, effect: "older" };
  // What a page says beside something else gives way to the person's own statement of the same second.
  const at = statement.onlyUnknown ? Math.max(0, counted - 1) : counted;
  if (statement.subscribed && !endSuppression(tx, contact, { ...statement, at }))
    return { contact, effect: "suppressed" };
  const next: Subscription = {
    status: statement.subscribed,
    changedAt: at,
    changedBy: statement.by,
    recordedAt: statement.recordedAt,
  };
  const after: Contact = { ...contact, [`${statement.channel}Subscription`]: next };
  tx.contacts.put(after.contactId, after);
  endConfirmation(tx, contact.contactId, statement.channel, statement.subscribed ? null : statement);
  const entry = appendChange(tx, {
    contactId: contact.contactId,
    channel: statement.channel,
    from: before.status,
    to: statement.subscribed,
    occurredAt: at,
    recordedAt: statement.recordedAt,
    source: statement.source,
    by: statement.by,
    eventId: statement.eventId,
    reason: statement.reason,
    evidence: statement.evidence ?? null,
    salt: statement.newSalt(),
  });
  if (entry.from === entry.to) return { contact: after, effect: "confirmed" };
  announceChange(tx, entry, after, statement.newId);
  return { contact: after, effect: "changed" };
}

/** A later subscription of the person ends the suppression of the address; false when it stays. */
function endSuppression(tx: Transaction, contact: Contact, statement: Statement): boolean {
  const { channel, suppressions, onlyUnknown, at } = statement;
  for (const key of keysOfAddresses(channel === "email" ? { ...contact, phone: "" } : { ...contact, email: "" })) {
    const known = suppressions?.find(tx, key);
    if (known === undefined) continue;
    if (onlyUnknown || at <= known.suppressedAt) return false;
    suppressions?.remove(tx, [key]);
  }
  return true;
}

/** An entry before it gets its place in the chain. */
export type NewChange = Omit<SubscriptionChange, "changeId" | "seal"> & { readonly salt: string };

/** Appends an entry to the app's chain. Works of one app run one after the other, so none comes between. */
export function appendChange(tx: Transaction, { salt, ...change }: NewChange): SubscriptionChange {
  const head = tx.ledgerHead.get(LEDGER_HEAD) ?? emptyLedger(tx.appId);
  const entry = seal(change, head.count + 1, salt, head.hash);
  tx.changes.put(entry.changeId, entry);
  tx.ledgerHead.put(LEDGER_HEAD, { count: head.count + 1, hash: entry.seal.hash });
  return entry;
}

/** Removes person, event and reason from an entry; the chain stays valid. Can be repeated. */
export function eraseChange(tx: Transaction, changeId: string): void {
  const change = tx.changes.get(changeId);
  if (change !== undefined) tx.changes.put(changeId, withoutPerson(change));
}

/** Computes a contact's subscriptions from its entries, in any order. */
export function foldChanges(changes: Iterable<SubscriptionChange>): Record<Channel, Subscription> {
  const folded: Record<Channel, Subscription> = { email: UNKNOWN, sms: UNKNOWN };
  for (const { channel, to, occurredAt, by, recordedAt, source } of changes) {
    if (source === "request") continue;
    const { changedAt, changedBy } = folded[channel];
    if (occurredAt > changedAt || (occurredAt === changedAt && by >= changedBy))
      folded[channel] = { status: to, changedAt: occurredAt, changedBy: by, recordedAt };
  }
  return folded;
}
