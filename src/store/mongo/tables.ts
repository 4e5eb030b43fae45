import type { IndexSpecification } from "mongodb";
import { asked, type Connection } from "./connection.js";
import { NEWS } from "./news.js";
import { KINDS, type MongoRecords } from "./records.js";
import { RECORDS, Table } from "./table.js";

/** Every table of the store. Each key begins with an app id; a record that an app has one of has the key `appKey`. */
export type Tables = { readonly [N in keyof MongoRecords]: Table<MongoRecords[N]> };

/** Tables that are listed over all apps. Their documents are in the index `across_apps`. */
const ACROSS_APPS: ReadonlySet<string> = new Set<keyof MongoRecords>([
  "apps",
  "feeds",
  "leases",
  "mailingSecrets",
  "removals",
]);

export function openTables(connection: Connection): Tables {
  const opened: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(KINDS))
    opened[name] = new Table<unknown>(name, kind, connection, ACROSS_APPS.has(name));
  if (!isWhole(opened)) throw new TypeError("A table is missing");
  return opened;
}

function isWhole(opened: Readonly<Record<string, unknown>>): opened is Tables {
  return Object.keys(KINDS).every((name) => opened[name] instanceof Table);
}

/** An index besides that of `_id`. */
export interface Index {
  readonly collection: string;
  readonly name: string;
  readonly key: IndexSpecification & Readonly<Record<string, 1>>;
  /** The records it holds; without it all documents of the collection. */
  readonly only?: Readonly<Record<string, unknown>>;
  /** The query that uses it. */
  readonly purpose: string;
}

/** All indexes of the store. Every other query goes by `_id`. */
export const INDEXES: readonly Index[] = [
  {
    collection: RECORDS,
    name: "across_apps",
    key: { across: 1, _id: 1 },
    only: { across: { $exists: true } },
    purpose: "apps, feeds, leases, hooks and removals of all apps",
  },
  {
    collection: RECORDS,
    name: "changes_by_contact",
    key: { app: 1, "v.contactId": 1, _id: 1 },
    only: { kind: "changes" },
    purpose: "the consent ledger of one contact",
  },
  {
    collection: RECORDS,
    name: "idempotency_by_time",
    key: { "v.claimedAt": 1 },
    only: { kind: "idempotency" },
    purpose: "expired idempotency keys",
  },
  {
    collection: RECORDS,
    name: "events_by_order",
    key: { app: 1, slot: 1, order: 1 },
    only: { order: { $exists: true } },
    purpose: "the events that an app's watchers have not seen",
  },
  { collection: NEWS, name: "by_time", key: { at: 1 }, purpose: "news since the last poll, and old news" },
];

const INDEXING_MS = 3_600_000;

/** Creates the missing indexes. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const { collection, name, key, only } of INDEXES) {
    const options = { name, ...(only !== undefined && { partialFilterExpression: only }) };
    await asked(connection, () => connection.db.collection(collection).createIndex(key, options), INDEXING_MS);
  }
}
