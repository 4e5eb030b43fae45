import { CHANGE_SOURCES, type Contact, type Subscription, type SubscriptionChange } from "../../../domain/contact.js";
import type { LedgerHead, Seal } from "../../../domain/ledger.js";
import type { NetworkLinks, NetworkTally } from "../../../domain/network-links.js";
import type { Visitor } from "../../../domain/visitor.js";
import { flag, list, number, oneOf, orElse, orNull, record, type Shape, text } from "../shape.js";

const UNSAID = -1;

const storedVisitor = record<Visitor>({
  visitorId: text,
  keys: list(text),
  members: list(text),
  contactId: text,
  linkedAt: number,
  linkedBy: orElse(text, ""),
  linkedSince: orElse(number, UNSAID),
  isProven: orElse(flag, false),
  linksDay: orElse(number, 0),
  links: orElse(list(text), []),
  createdAt: number,
});

export const visitorShape: Shape<Visitor> = {
  write: storedVisitor.write,
  read: (stored) => {
    const visitor = storedVisitor.read(stored);
    return visitor.linkedSince === UNSAID ? { ...visitor, linkedSince: visitor.linkedAt } : visitor;
  },
};

const subscriptionShape = record<Subscription>({
  status: orNull(flag),
  changedAt: number,
  changedBy: text,
  recordedAt: orElse(number, 0),
});

/** What is known of a person, in an event as in a contact. */
export const personFields = {
  email: text,
  phone: text,
  firstName: text,
  lastName: text,
  country: text,
  city: text,
  gender: text,
  birthDate: text,
  tags: list(text),
};

export const contactShape = record<Contact>({
  contactId: text,
  ...personFields,
  emailSubscription: subscriptionShape,
  smsSubscription: subscriptionShape,
  createdAt: number,
});

export const changeShape = record<SubscriptionChange>({
  changeId: text,
  contactId: text,
  channel: oneOf("email", "sms"),
  from: orNull(flag),
  to: orNull(flag),
  occurredAt: number,
  recordedAt: number,
  source: oneOf(...CHANGE_SOURCES),
  by: orElse(text, ""),
  eventId: text,
  reason: text,
  seal: orElse(orNull(record<Seal>({ salt: text, commitment: text, previous: text, hash: text })), null),
});

export const ledgerHeadShape = record<LedgerHead>({ count: number, hash: text });

export const networkLinksShape = record<NetworkLinks>({
  day: number,
  tallies: list(record<NetworkTally>({ network: text, addresses: list(text) })),
  secret: text,
});
