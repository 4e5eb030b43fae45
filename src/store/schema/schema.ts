import { app, copyMark, lease, modelPointer, operation } from "./apps.js";
import { feed, order, product, productCounts, unconfirmedSlot } from "./catalog.js";
import { event, idempotency, rejectedEvent, rejectedLog } from "./events.js";
import { frame, frameExposure, frameTally, frameVersion } from "./frames.js";
import { type Kind, number, text } from "./kinds.js";
import {
  confirmation,
  contact,
  erasure,
  hookEntry,
  ledgerHead,
  mailingSecrets,
  networkLinks,
  subscriptionChange,
  suppression,
  visitor,
} from "./people.js";

/**
 * Every kind of record that each store keeps, by the name of its table. What a record is found by is in its key, see
 * `keys.ts`. Each store adds the tables that it keeps in a form of its own, and indexes.
 */
export const SCHEMA = {
  apps: app,
  frames: frame,
  /** By frame and number; the newest also under `last`. */
  frameVersions: frameVersion,
  frameTallies: frameTally,
  /** By visitor key. */
  frameExposures: frameExposure,
  /** Events that may be results of lists, and visitors who changed, until the tallies hold them; see `results/`. */
  dueResults: text,
  events: event,
  idempotency,
  rejectedEvents: rejectedEvent,
  rejectedLogs: rejectedLog,
  visitors: visitor,
  /** Visitor ids by visitor key. */
  visitorKeys: text,
  contacts: contact,
  /** Contact ids by contact key. */
  contactKeys: text,
  changes: subscriptionChange,
  ledgerHeads: ledgerHead,
  networkLinks,
  mailingSecrets,
  confirmations: confirmation,
  /** Messages to hooks that wait, by the time they are due. */
  outbox: hookEntry,
  /** Messages that were given up. */
  deadHooks: hookEntry,
  /** Suppressed addresses, by their keyed hash. */
  suppressions: suppression,
  /** Where products are read from by schedule. */
  feeds: feed,
  products: product,
  /** Product ids by SKU. */
  productSkus: text,
  productCounts,
  /** Learned products that too few visitors have sent, by slot. */
  unconfirmedProducts: unconfirmedSlot,
  orders: order,
  erasures: erasure,
  /** Long work, also of the past. */
  operations: operation,
  pointers: modelPointer,
  /** Which process trains the app. */
  leases: lease,
  /** A number that changes with each `markChanged` of the app. */
  activity: number,
  /** Apps whose removal has begun and is not finished. */
  removals: number,
  /** Progress of copying an app from another store. */
  copies: copyMark,
};

type ValueOf<K> = K extends Kind<infer T> ? T : never;

/** The records of each of these tables. */
export type RecordsOf<S> = { readonly [N in keyof S]: ValueOf<S[N]> };

/** The records of the tables that every store keeps. */
export type RecordTypes = RecordsOf<typeof SCHEMA>;
