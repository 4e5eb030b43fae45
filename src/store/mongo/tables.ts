import type { IndexSpecification } from "mongodb";
import { asked, type Connection } from "./connection.js";
import { KINDS, type MongoRecords } from "./records.js";
import { Table } from "./table.js";

/** Every table of the store. Each key begins with an app id; what an app has one of stands under `appKey`. */
export type Tables = { readonly [N in keyof MongoRecords]: Table<MongoRecords[N]> };

/** Works write these and do not read what was written before. */
const WRITE_ONLY: ReadonlySet<string> = new Set<keyof MongoRecords>([
  "events",
  "rejectedEvents",
  "interactions",
  "changes",
  "outbox",
  "deadHooks",
  "models",
  "pointers",
]);

export function openTables(connection: Connection): Tables {
  const opened: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(KINDS))
    opened[name] = new Table<unknown>(name, kind, connection, !WRITE_ONLY.has(name));
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
