import type { Evidence } from "./evidence.js";
import type { Seal } from "./ledger.js";

/** true = subscribed, false = unsubscribed, null = no statement yet. */
export type SubscriptionStatus = boolean | null;

export const CHANNELS = ["email", "sms"] as const;

export type Channel = (typeof CHANNELS)[number];

/** A status with its statement; a newer statement (by time, then by event id) replaces it. */
export interface Subscription {
  readonly status: SubscriptionStatus;
  /** 0 without a statement. */
  readonly changedAt: number;
  /** Event or change id of the statement. */
  readonly changedBy: string;
  /** Time of recording, whatever time the statement names. */
  readonly recordedAt: number;
}

export const UNKNOWN: Subscription = { status: null, changedAt: 0, changedBy: "", recordedAt: 0 };

export interface ContactProfile {
  readonly firstName: string;
  readonly lastName: string;
  readonly country: string;
  readonly city: string;
  readonly gender: string;
  readonly birthDate: string;
  readonly tags: readonly string[];
}

export interface Contact extends ContactProfile {
  readonly contactId: string;
  /** As given; the key is that of `address-keys.ts`. "" when unknown. */
  readonly email: string;
  readonly phone: string;
  readonly emailSubscription: Subscription;
  readonly smsSubscription: Subscription;
  /** Visitors that were linked to it, the newest last. The visitor's own record says whether it still is. */
  readonly visitorIds: readonly string[];
  readonly createdAt: number;
  /** Contacts that turned out to be this one: another spelling of its address had been stored as another contact. */
  readonly former: readonly FormerContact[];
}

/** What links in mails may still name. */
export interface FormerContact {
  readonly contactId: string;
  /** As given. */
  readonly email: string;
  readonly phone: string;
}

/** Visitors that a contact remembers. */
const MAX_VISITORS = 16;

/** The contact with one more visitor; the same one when it knows the visitor. */
export function withVisitor(contact: Contact, visitorId: string): Contact {
  if (contact.visitorIds.includes(visitorId)) return contact;
  return { ...contact, visitorIds: [...contact.visitorIds, visitorId].slice(-MAX_VISITORS) };
}

/** The source of a statement; `request` is none: a subscription that waits for its confirmation. */
export const CHANGE_SOURCES = [
  "event",
  "rpc",
  "import",
  "confirmation",
  "unsubscribe",
  "erasure",
  "merge",
  "request",
] as const;

export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/**
 * One entry of the consent ledger: a statement that changed a status, or repeated it later. A contact's subscriptions
 * are computed from its entries: for each channel the newest counts, by time and then by `by`.
 */
export interface SubscriptionChange {
  /** Later entries have greater ids. */
  readonly changeId: string;
  /** "" when the contact was erased, as are `by`, `eventId` and `reason`. */
  readonly contactId: string;
  readonly channel: Channel;
  readonly from: SubscriptionStatus;
  readonly to: SubscriptionStatus;
  readonly occurredAt: number;
  readonly recordedAt: number;
  readonly source: ChangeSource;
  /** Event or call id that decides between statements of the same time; "" in entries from before the chain. */
  readonly by: string;
  /** "" when no event caused it. */
  readonly eventId: string;
  readonly reason: string;
  /** Null when nothing was said, and when the contact was erased. */
  readonly evidence: Evidence | null;
  /** Null in entries from before the chain. */
  readonly seal: Seal | null;
}
