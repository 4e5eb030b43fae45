import { crc32c } from "@node-rs/crc32";
import { asked, type Connection, connect, LONG_MS } from "./connection.js";
import { unpart } from "./keys.js";
import { ModelFiles } from "./model-files.js";
import type { StoredModel } from "./records.js";
import type { Table } from "./table.js";
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
  /** Documents met, by table; tombstones do not count. */
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
    for (const name of keysOf(tables)) {
      entries[name] = await readAll<unknown>(tables[name], (id) => fault(name, "value", id));
    }
    await readFiles(connection, tables.models, (id) => fault("models", "file", id));
    return { entries, faultCount, faults };
  } finally {
    await connection.client.close();
  }
}

/** Counts the documents and calls `onFault` for each that is not a valid record. */
async function readAll<T>(
  table: Table<T>,
  onFault: (id: string) => void,
  onValue: (id: string, value: T) => Promise<void> = async () => undefined,
): Promise<number> {
  const cursor = table.collection.find({ gone: { $ne: true } }, { batchSize: AT_ONCE, maxTimeMS: LONG_MS });
  let met = 0;
  for await (const { _id, v } of cursor) {
    met++;
    let value: T;
    try {
      value = table.decode(v);
    } catch {
      // the verification reports it as a fault
      onFault(_id);
      continue;
    }
    await onValue(_id, value);
  }
  return met;
}

async function readFiles(connection: Connection, models: Table<StoredModel>, onFault: (id: string) => void) {
  const files = new ModelFiles(connection, () => 0);
  await readAll(
    models,
    () => undefined,
    async (id, { record, fileId, fileChecksum }) => {
      const bytes = await files.read(fileId, record.sizeBytes);
      if (bytes !== undefined && crc32c(bytes) === fileChecksum) return;
      const now = await asked(connection, () => models.collection.findOne({ _id: id, gone: { $ne: true } }));
      if (now !== null && models.decode(now.v).fileId === fileId) onFault(id); // else removed or replaced meanwhile
    },
  );
}

function keysOf(tables: Tables): (keyof Tables)[] {
  const names: (keyof Tables)[] = [];
  for (const [name] of Object.entries(tables)) if (isName(tables, name)) names.push(name);
  return names;
}

function isName(tables: Tables, name: string): name is keyof Tables {
  return name in tables;
}
