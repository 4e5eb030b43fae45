import {
  CHANGE_SOURCES,
  CHANNELS,
  type Contact,
  type Subscription,
  type SubscriptionChange,
} from "../../../domain/contact.js";
import type { LedgerHead, Seal } from "../../../domain/ledger.js";
import type { NetworkLinks } from "../../../domain/network-links.js";
import type { Visitor } from "../../../domain/visitor.js";
import type { Cells, RecordCodec } from "../codec.js";
import * as cell from "./cells.js";

export const visitorRecord: RecordCodec<Visitor> = {
  toCells: (visitor) => [
    visitor.visitorId,
    visitor.keys,
    visitor.members,
    visitor.contactId,
    visitor.linkedAt,
    visitor.createdAt,
    visitor.linkedBy,
    visitor.linkedSince,
    visitor.isProven,
    visitor.linksDay,
    visitor.links,
  ],
  fromCells: (cells) => ({
    visitorId: cell.text(cells, 0),
    keys: cell.texts(cells, 1),
    members: cell.texts(cells, 2),
    contactId: cell.text(cells, 3),
    linkedAt: cell.number(cells, 4),
    createdAt: cell.number(cells, 5),
    linkedBy: cell.hasLater(cells, 6) ? cell.text(cells, 6) : "",
    linkedSince: cell.numberOr(cells, 7, cell.number(cells, 4)),
    isProven: cell.laterFlag(cells, 8),
    linksDay: cell.numberOr(cells, 9, 0),
    links: cell.hasLater(cells, 10) ? cell.texts(cells, 10) : [],
  }),
};

export const contactRecord: RecordCodec<Contact> = {
  toCells: (contact) => [
    contact.contactId,
    contact.email,
    contact.phone,
    contact.firstName,
    contact.lastName,
    contact.country,
    contact.city,
    contact.gender,
    contact.birthDate,
    contact.tags,
    subscriptionCells(contact.emailSubscription),
    subscriptionCells(contact.smsSubscription),
    contact.createdAt,
  ],
  fromCells: (cells) => ({
    contactId: cell.text(cells, 0),
    email: cell.text(cells, 1),
    phone: cell.text(cells, 2),
    firstName: cell.text(cells, 3),
    lastName: cell.text(cells, 4),
    country: cell.text(cells, 5),
    city: cell.text(cells, 6),
    gender: cell.text(cells, 7),
    birthDate: cell.text(cells, 8),
    tags: cell.texts(cells, 9),
    emailSubscription: subscriptionFrom(cell.list(cells, 10)),
    smsSubscription: subscriptionFrom(cell.list(cells, 11)),
    createdAt: cell.number(cells, 12),
  }),
};

function subscriptionCells(subscription: Subscription): unknown[] {
  return [subscription.status, subscription.changedAt, subscription.changedBy, subscription.recordedAt];
}

function subscriptionFrom(cells: Cells): Subscription {
  return {
    status: cell.flagOrNull(cells, 0),
    changedAt: cell.number(cells, 1),
    changedBy: cell.text(cells, 2),
    recordedAt: cells.length > 3 ? cell.number(cells, 3) : 0,
  };
}

export const changeRecord: RecordCodec<SubscriptionChange> = {
  toCells: (change) => [
    change.changeId,
    change.contactId,
    change.channel,
    change.from,
    change.to,
    change.occurredAt,
    change.recordedAt,
    change.source,
    change.eventId,
    change.reason,
    change.by,
    change.seal === null ? null : [change.seal.salt, change.seal.commitment, change.seal.previous, change.seal.hash],
  ],
  fromCells: (cells) => ({
    changeId: cell.text(cells, 0),
    contactId: cell.text(cells, 1),
    channel: cell.oneOf(cells, 2, CHANNELS),
    from: cell.flagOrNull(cells, 3),
    to: cell.flagOrNull(cells, 4),
    occurredAt: cell.number(cells, 5),
    recordedAt: cell.number(cells, 6),
    source: cell.oneOf(cells, 7, CHANGE_SOURCES),
    eventId: cell.text(cells, 8),
    reason: cell.text(cells, 9),
    by: cell.hasLater(cells, 10) ? cell.text(cells, 10) : "",
    seal: cell.hasLater(cells, 11) && cells[11] !== null ? sealFrom(cell.list(cells, 11)) : null,
  }),
};

function sealFrom(cells: Cells): Seal {
  return {
    salt: cell.text(cells, 0),
    commitment: cell.text(cells, 1),
    previous: cell.text(cells, 2),
    hash: cell.text(cells, 3),
  };
}

export const ledgerHeadRecord: RecordCodec<LedgerHead> = {
  toCells: (head) => [head.count, head.hash],
  fromCells: (cells) => ({ count: cell.number(cells, 0), hash: cell.text(cells, 1) }),
};

export const networkLinksRecord: RecordCodec<NetworkLinks> = {
  toCells: ({ day, tallies, secret }) => [day, tallies.map(({ network, addresses }) => [network, addresses]), secret],
  fromCells: (cells) => ({
    day: cell.number(cells, 0),
    tallies: cell.rows(cells, 1, (row) => ({ network: cell.text(row, 0), addresses: cell.texts(row, 1) })),
    secret: cell.text(cells, 2),
  }),
};
