import type { IndexSpecification } from "mongodb";
import type { RecordTypes } from "../store/record-types.js";
import { asked, type Connection } from "./connection.js";
import type { TimedLease } from "./lease.js";
import { appShape, copyMarkShape, type KeptModel, leaseShape, modelShape, pointerShape } from "./records/app.js";
import { type HistoryRow, historyRowShape, orderShape, productShape } from "./records/catalog.js";
import { erasureShape } from "./records/erasure.js";
import { eventShape, idempotencyShape } from "./records/event.js";
import { feedShape } from "./records/feed.js";
import { frameExposureShape, frameShape, frameTallyShape, frameVersionShape } from "./records/frame.js";
import { confirmationShape, hookEntryShape, mailingSecretsShape } from "./records/mailing.js";
import { rejectedEventShape, rejectedLogShape } from "./records/rejected-event.js";
import { changeShape, contactShape, ledgerHeadShape, networkLinksShape, visitorShape } from "./records/visitor.js";
import { number, type Shape, text } from "./shape.js";
import { Table } from "./table.js";

interface MongoRecordTypes extends RecordTypes {
  readonly interactions: HistoryRow;
  readonly models: KeptModel;
  readonly leases: TimedLease;
}

/** Every table of the store. Each key begins with an app id; what an app has one of stands under `appKey`. */
export type Tables = { readonly [K in keyof MongoRecordTypes]: Table<MongoRecordTypes[K]> };

export function openTables(connection: Connection): Tables {
  const reread = <T>(name: string, shape: Shape<T>) => new Table(name, shape, connection, true);
  const written = <T>(name: string, shape: Shape<T>) => new Table(name, shape, connection, false);
  return {
    apps: reread("apps", appShape),
    frames: reread("frames", frameShape),
    frameVersions: reread("frameVersions", frameVersionShape),
    frameTallies: reread("frameTallies", frameTallyShape),
    frameExposures: reread("frameExposures", frameExposureShape),
    events: written("events", eventShape),
    idempotency: reread("idempotency", idempotencyShape),
    rejectedEvents: written("rejectedEvents", rejectedEventShape),
    rejectedLogs: reread("rejectedLogs", rejectedLogShape),
    visitors: reread("visitors", visitorShape),
    visitorKeys: reread("visitorKeys", text),
    interactions: written("interactions", historyRowShape),
    contacts: reread("contacts", contactShape),
    contactKeys: reread("contactKeys", text),
    changes: written("changes", changeShape),
    ledgerHeads: reread("ledgerHeads", ledgerHeadShape),
    networkLinks: reread("networkLinks", networkLinksShape),
    mailingSecrets: reread("mailingSecrets", mailingSecretsShape),
    confirmations: reread("confirmations", confirmationShape),
    outbox: written("outbox", hookEntryShape),
    deadHooks: written("deadHooks", hookEntryShape),
    feeds: reread("feeds", feedShape),
    products: reread("products", productShape),
    productSkus: reread("productSkus", text),
    orders: reread("orders", orderShape),
    erasures: reread("erasures", erasureShape),
    models: written("models", modelShape),
    pointers: written("pointers", pointerShape),
    activity: reread("activity", number),
    leases: reread("leases", leaseShape),
    removals: reread("removals", number),
    copies: reread("copies", copyMarkShape),
  };
}

/** An index besides that of `_id`. */
export interface Index {
  readonly collection: string;
  readonly name: string;
  readonly key: IndexSpecification & Readonly<Record<string, 1>>;
  /** What asks by it. */
  readonly purpose: string;
}

/** All indexes that the store makes when it is opened; nothing else is asked for but by `_id`. */
export const INDEXES: readonly Index[] = [
  {
    collection: "changes",
    name: "by_contact",
    key: { app: 1, "v.contactId": 1, _id: 1 },
    purpose: "the consent ledger of one contact",
  },
  {
    collection: "products",
    name: "by_revision",
    key: { app: 1, rev: 1 },
    purpose: "products that other servers wrote since they were last asked for",
  },
  {
    collection: "idempotency",
    name: "by_time",
    key: { "v.claimedAt": 1 },
    purpose: "idempotency keys past their time",
  },
  { collection: "graves", name: "by_time", key: { at: 1 }, purpose: "tombstones past their time" },
];

const INDEXING_MS = 3_600_000;

/** Makes the indexes that are missing. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const { collection, name, key } of INDEXES) {
    await asked(connection, () => connection.db.collection(collection).createIndex(key, { name }), INDEXING_MS);
  }
}
