import { checksumOf } from "../checksum.js";
import { unpart } from "../keys.js";
import { asked, type Connection, connect, LONG_MS } from "./connection.js";
import { ModelFiles } from "./model-files.js";
import type { StoredModel } from "./records.js";
import { recordsOf, type Table } from "./table.js";
import { openTables, type Tables } from "./tables.js";

/**
 * `value`: no record of its kind
 * `file`: a model's file is not there, or does not match its checksum
 */
export interface MongoFault {
  readonly table: keyof Tables;
  readonly kind: "value" | "file";
  readonly appId: string;
  /** The key within the app, its parts joined by spaces; may be personal and belongs into no log. */
  readonly key: string;
}

export interface MongoReport {
  /** Number of records by table. */
  readonly entries: Readonly<Partial<Record<keyof Tables, number>>>;
  readonly faultCount: number;
  /** The first MAX_FAULTS of them. */
  readonly faults: readonly MongoFault[];
}

const MAX_FAULTS = 1000;

/** Documents read at a time. */
const AT_ONCE = 1000;

/** Reads every document of a store as what it should be, and the models' files. Reads only. Rejects with Unavailable. */
export async function verifyMongo(url: string, answerMs: number): Promise<MongoReport> {
  const { connection } = await connect(url, answerMs, () => undefined);
  try {
    const tables = openTables(connection);
    const entries: Partial<Record<keyof Tables, number>> = {};
    const faults: MongoFault[] = [];
    let faultCount = 0;
    const fault = (table: keyof Tables, kind: MongoFault["kind"], id: string) => {
      const border = id.indexOf("\0");
      const key = id.slice(border + 1).replaceAll("\0", " ");
      if (++faultCount <= MAX_FAULTS) faults.push({ table, kind, appId: unpart(id.slice(0, border)), key });
    };
    await readAll(connection, tables, entries, fault);
    await readFiles(connection, tables.models, (id) => fault("models", "file", id));
    return { entries, faultCount, faults };
  } finally {
    await connection.client.close();
  }
}

/** Counts the records of each kind and calls `onFault` for each that is not valid. */
async function readAll(
  connection: Connection,
  tables: Tables,
  entries: Partial<Record<keyof Tables, number>>,
  onFault: (table: keyof Tables, kind: "value", key: string) => void,
): Promise<void> {
  for (const name of keysOf(tables)) entries[name] = 0;
  const cursor = recordsOf(connection).find({}, { batchSize: AT_ONCE, maxTimeMS: LONG_MS });
  for await (const { _id, kind, v } of cursor) {
    if (!isName(tables, kind)) continue;
    entries[kind] = (entries[kind] ?? 0) + 1;
    try {
      tables[kind].decode(v);
    } catch {
      // the verification reports it as a fault
      onFault(kind, "value", tables[kind].keyOf(_id));
    }
  }
}

async function readFiles(connection: Connection, models: Table<StoredModel>, onFault: (key: string) => void) {
  const files = new ModelFiles(connection, () => 0);
  for await (const { _id, v } of models.collection.find({ kind: models.name }, { maxTimeMS: LONG_MS })) {
    const model = readable(() => models.decode(v));
    if (model === undefined) continue;
    const bytes = await files.read(model);
    if (bytes !== undefined && (await checksumOf(bytes)) === model.fileChecksum) continue;
    const now = await asked(connection, () => models.collection.findOne({ _id }));
    if (now !== null && models.decode(now.v).fileId === model.fileId) onFault(models.keyOf(_id)); // else removed or replaced meanwhile
  }
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // reported as a damaged value already
    return undefined;
  }
}

function keysOf(tables: Tables): (keyof Tables)[] {
  const names: (keyof Tables)[] = [];
  for (const [name] of Object.entries(tables)) if (isName(tables, name)) names.push(name);
  return names;
}

function isName(tables: Tables, name: string): name is keyof Tables {
  return name in tables;
}
