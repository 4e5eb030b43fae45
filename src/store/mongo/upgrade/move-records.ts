import type { Binary, ClientSession } from "mongodb";
import { BSON } from "mongodb";
import { DataDamaged } from "../../../domain/errors.js";
import type { Kind } from "../../schema/kinds.js";
import { asked, type Connection, collectionOf, LONG_MS } from "../connection.js";
import { mendContactKeys } from "../contact-keys.js";
import type { UpgradeClaim } from "../format.js";
import { KINDS } from "../records.js";
import { recordsOf, type StoredDocument } from "../table.js";
import { openTables, type Tables } from "../tables.js";
import { repairProducts } from "./repair-products.js";

/** A record as formats up to 8 kept it: in a collection of its kind, with its own key. A removed one stayed as a tombstone. */
export interface EarlierDocument {
  readonly _id: string;
  readonly app: string;
  readonly rev: number;
  readonly v?: unknown;
  readonly gone?: boolean;
}

/** A commit of formats up to 8, with all its writes, and the number up to which an app's commits are finished. */
interface EarlierCommit {
  readonly _id: string;
  readonly app: string;
  readonly rev: number;
  readonly redo?: Binary;
}

interface EarlierHead {
  readonly _id: string;
  readonly app: string;
  readonly rev: number;
}

/** The collections that only formats up to 8 have, besides those of the records. */
const EARLIER_COLLECTIONS = ["commits", "heads", "turns", "graves"];

/** The activity of an app has another form. */
const NOT_MOVED: ReadonlySet<string> = new Set(["activity"]);

const AT_ONCE = 500;

const MOVED_ID = "moved";

/**
 * The upgrade to format 9: finishes the commits that were under way, moves the records of all kinds into one collection, with
 * times as dates, and repairs what earlier formats left wrong. The earlier collections are removed at the end.
 */
export async function moveRecords(connection: Connection, found: number, claim: UpgradeClaim): Promise<void> {
  const meta = collectionOf<{ readonly _id: string }>(connection, "meta");
  const tables = openTables(connection);
  const write: WriteHeld = (body) =>
    asked(
      connection,
      () =>
        connection.client.withSession((session) =>
          session.withTransaction(async () => {
            await claim.hold(session);
            await body(session);
          }),
        ),
      LONG_MS,
    );
  if ((await asked(connection, () => meta.findOne({ _id: MOVED_ID }))) === null) {
    await finishCommits(connection, write);
    for (const [name, kind] of Object.entries(KINDS))
      if (isTable(tables, name) && !NOT_MOVED.has(name)) await moveTable(connection, tables, name, kind, write);
    if (found < 5) await repairProducts(connection, tables, write);
    if (found < 6) await mendContactKeys(connection);
    await write(async (session) => void (await meta.insertOne({ _id: MOVED_ID }, { session })));
  }
  for (const name of [...Object.keys(KINDS), ...EARLIER_COLLECTIONS])
    await asked(connection, () => connection.db.collection(name).drop(), LONG_MS);
}

/** Runs `body` in a transaction that needs the claim. */
export type WriteHeld = (body: (session: ClientSession) => Promise<void>) => Promise<void>;

function isTable(tables: Tables, name: string): name is keyof Tables {
  return name in tables;
}

async function moveTable(
  connection: Connection,
  tables: Tables,
  name: keyof Tables,
  kind: Kind<unknown>,
  write: WriteHeld,
): Promise<void> {
  const table = tables[name];
  let batch: StoredDocument[] = [];
  const flush = async (): Promise<void> => {
    const some = batch;
    batch = [];
    if (some.length === 0) return;
    const operations = some.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }));
    await write(
      async (session) => void (await recordsOf(connection).bulkWrite(operations, { ordered: false, session })),
    );
  };
  const earlier = collectionOf<EarlierDocument>(connection, name).find({ gone: { $ne: true } }, { batchSize: AT_ONCE });
  for await (const { _id: key, app, v } of earlier) {
    batch.push(table.documentOf(key, app, inTodaysForm(kind, v)));
    if (batch.length >= AT_ONCE) await flush();
  }
  await flush();
}

/** With times as dates. A damaged value stays as it is: reading reports it. */
function inTodaysForm(kind: Kind<unknown>, v: unknown): unknown {
  try {
    return kind.toDocument(kind.fromDocument(v));
  } catch (error) {
    if (error instanceof DataDamaged) return v;
    throw error;
  }
}

/** Applies the commits that an earlier version has begun and not finished, in their order. */
async function finishCommits(connection: Connection, write: WriteHeld): Promise<void> {
  const heads = await asked(connection, () => collectionOf<EarlierHead>(connection, "heads").find().toArray(), LONG_MS);
  const headOf = new Map(heads.map(({ app, rev }) => [app, rev]));
  const commits = await asked(
    connection,
    () => collectionOf<EarlierCommit>(connection, "commits").find().sort({ _id: 1 }).toArray(),
    LONG_MS,
  );
  for (const { app, rev, redo } of commits) {
    if (redo === undefined || rev <= (headOf.get(app) ?? 0)) continue;
    const writes = writesIn(redo.buffer);
    await write(async (session) => {
      for (const { table, key, v } of writes) {
        const records = collectionOf<EarlierDocument>(connection, table);
        if (v === undefined) await records.deleteOne({ _id: key }, { session });
        else await records.replaceOne({ _id: key }, { app, rev, v }, { session, upsert: true });
      }
    });
  }
}

function writesIn(redo: Uint8Array): { readonly table: string; readonly key: string; readonly v: unknown }[] {
  const { writes } = BSON.deserialize(redo);
  if (!Array.isArray(writes)) throw unknownLayout();
  return writes.map((one: unknown) => {
    if (typeof one !== "object" || one === null || !("t" in one && "k" in one)) throw unknownLayout();
    const { t: table, k: key } = one;
    if (typeof table !== "string" || typeof key !== "string") throw unknownLayout();
    return { table, key, v: "v" in one ? one.v : undefined };
  });
}

function unknownLayout(): DataDamaged {
  return new DataDamaged("An unfinished commit has an unknown layout");
}
