import {
  CHANGE_SOURCES,
  CHANNELS,
  type Contact,
  type FormerContact,
  type Subscription,
  type SubscriptionChange,
} from "../../domain/contact.js";
import { ERASURE_STEPS, type Erasure, type Person } from "../../domain/erasure.js";
import type { Evidence } from "../../domain/evidence.js";
import {
  type Confirmation,
  HOOK_FAILURES,
  HOOK_KINDS,
  type Hook,
  type HookEntry,
  type MailingSecrets,
  type SigningSecret,
} from "../../domain/hook.js";
import type { VisitorIds } from "../../domain/ids.js";
import type { LedgerHead, Seal } from "../../domain/ledger.js";
import type { NetworkLinks, NetworkTally } from "../../domain/network-links.js";
import { SUPPRESSION_SOURCES, type Suppression } from "../../domain/suppression.js";
import type { Visitor } from "../../domain/visitor.js";
import { flag, later, list, map, number, oneOf, orNull, record, text, time } from "./kinds.js";

export const visitorIds = record<VisitorIds>({ clientId: text, fingerprintId: text, userId: text });

const UNKNOWN_TIME = -1;

export const visitor = record<Visitor>(
  {
    visitorId: text,
    keys: list(text),
    members: list(text),
    contactId: text,
    linkedAt: time,
    createdAt: time,
    linkedBy: later(text, ""),
    linkedSince: later(time, UNKNOWN_TIME),
    isProven: later(flag, false),
    linksDay: later(number, 0),
    links: later(list(text), []),
    isUserProven: later(flag, false),
  },
  {
    complete: (visitor) =>
      visitor.linkedSince === UNKNOWN_TIME ? { ...visitor, linkedSince: visitor.linkedAt } : visitor,
  },
);

const subscription = record<Subscription>({
  status: orNull(flag),
  changedAt: time,
  changedBy: text,
  recordedAt: later(time, 0),
});

export const contact = record<Contact>({
  contactId: text,
  email: text,
  phone: text,
  firstName: text,
  lastName: text,
  country: text,
  city: text,
  gender: text,
  birthDate: text,
  tags: list(text),
  emailSubscription: subscription,
  smsSubscription: subscription,
  createdAt: time,
  visitorIds: later(list(text), []),
  former: later(list(record<FormerContact>({ contactId: text, email: text, phone: text })), []),
});

export const subscriptionChange = record<SubscriptionChange>({
  changeId: text,
  contactId: text,
  channel: oneOf(...CHANNELS),
  from: orNull(flag),
  to: orNull(flag),
  occurredAt: time,
  recordedAt: time,
  source: oneOf(...CHANGE_SOURCES),
  eventId: text,
  reason: text,
  by: later(text, ""),
  seal: later(orNull(record<Seal>({ salt: text, commitment: text, previous: text, hash: text })), null),
  evidence: later(orNull(record<Evidence>({ wording: text, place: text, network: text })), null),
});

export const ledgerHead = record<LedgerHead>({ count: number, hash: text });

export const networkLinks = record<NetworkLinks>({
  day: number,
  tallies: list(record<NetworkTally>({ network: text, addresses: list(text) })),
  secret: text,
  count: later(number, 0),
});

export const mailingSecrets = record<MailingSecrets>({
  linkKey: text,
  hook: orNull(record<Hook>({ url: text, secret: text, tellsErasures: later(flag, false) }).inline),
  signing: later(list(record<SigningSecret>({ secretId: text, secret: text, createdAt: time })), []),
  signingSince: later(time, 0),
});

export const confirmation = record<Confirmation>({ askedAt: time, askedBy: text, eventId: text, visitorKey: text });

export const hookEntry = record<HookEntry>({
  messageId: text,
  kind: oneOf(...HOOK_KINDS),
  contactId: text,
  channel: oneOf(...CHANNELS),
  changeId: text,
  createdAt: time,
  attempts: number,
  nextAt: time,
  failure: oneOf("", ...HOOK_FAILURES),
  status: number,
  body: later(text, ""),
});

export const suppression = record<Suppression>({ suppressedAt: time, source: oneOf(...SUPPRESSION_SOURCES) });

const person = record<Person>({
  visitorKeys: list(text),
  contactKeys: list(text),
  contactIds: list(text),
  historyIds: list(text),
  orderIds: list(text),
  eventIds: list(text),
  provenKeys: later(list(text), []),
});

export const erasure = record<Erasure>({
  erasureId: text,
  startedAt: time,
  finishedAt: time,
  workedAt: time,
  step: oneOf(...ERASURE_STEPS),
  upTo: text,
  person,
  counts: map(number),
  contactsKept: later(number, 0),
  isSecond: later(flag, false),
});
