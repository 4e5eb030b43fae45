import { statSync } from "node:fs";
import { join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import { Unavailable } from "../../domain/errors.js";
import { AS_BYTES } from "./codec.js";
import { DATA_FILE } from "./files.js";
import { FIRST, type Key, LAST } from "./keys.js";
import { allocateLockFile } from "./lock-file.js";

const MAX_TABLES = 64;
const MAX_READERS = 512;

/** Opens the LMDB environment of a directory. It throws Unavailable with the cause when LMDB cannot open it. */
export function openRoot(path: string, readOnly: boolean): RootDatabase<Uint8Array, Key> {
  const options = {
    noSubdir: false, // otherwise lmdb-js takes a directory with a dot in its name for a file
    overlappingSync: false, // so that a resolved write is on disk
    // `Writer` batches works itself. The library's batches also create a promise that nobody can await. When a commit fails,
    // its rejection would end the process ("after a sync failed, events are answered 503 …").
    eventTurnBatching: false,
    permissionsMode: 0o600, // the files hold personal data
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    readOnly,
    ...AS_BYTES,
  };
  allocateLockFile(path);
  try {
    return open<Uint8Array, Key>(path, options);
  } catch (error) {
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

/** Opens one of its tables, and creates it if the environment is writable. It throws Unavailable for a table that a read-only store lacks. */
export function openDatabase(root: RootDatabase<Uint8Array, Key>, name: string): Database<Uint8Array, Key> {
  const database: Database<Uint8Array, Key> | undefined = root.openDB<Uint8Array, Key>(name, { name, ...AS_BYTES });
  if (database === undefined) throw new Unavailable("The directory holds no complete store");
  return database;
}

/** Behind the name of each table, as lmdb-js gives it to LMDB. */
const NAME_END = "\0";

/** The names of the tables that there are. */
export function tableNames(root: RootDatabase<Uint8Array, Key>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const key of root.getKeys({ start: FIRST, end: LAST }))
    names.add(key.endsWith(NAME_END) ? key.slice(0, -NAME_END.length) : key);
  return names;
}

/** The number of the newest commit in the file. */
export function newestCommit(root: RootDatabase<Uint8Array, Key>): number {
  return figureOf(root, "info", "lastTxnId");
}

/**
 * Whether the file is shorter than its newest commit says. It may be whole all the same: LMDB does not write pages that it took at
 * the end and gave back.
 */
export function isCutShort(root: RootDatabase<Uint8Array, Key>, path: string): boolean {
  const pages = figureOf(root, "info", "lastPageNumber") + 1;
  return statSync(join(path, DATA_FILE)).size < pages * figureOf(root, "stat", "pageSize");
}

/** One of LMDB's own figures. lmdb-js does not declare them, and its `getStats` walks the free pages, too. */
function figureOf(root: RootDatabase<Uint8Array, Key>, method: "info" | "stat", name: string): number {
  const environment: unknown = Reflect.get(root, "env");
  const ask: unknown =
    typeof environment === "object" && environment !== null ? Reflect.get(environment, method) : undefined;
  const figures: unknown = typeof ask === "function" ? ask.call(environment) : undefined;
  const figure: unknown = typeof figures === "object" && figures !== null ? Reflect.get(figures, name) : undefined;
  if (typeof figure !== "number") throw new TypeError(`LMDB does not say its ${name}`);
  return figure;
}

/** The number of a table's entries, by LMDB's own count. */
export function entryCount(database: Database<Uint8Array, Key>): number {
  const stats: unknown = database.getStats();
  const count: unknown = typeof stats === "object" && stats !== null ? Reflect.get(stats, "entryCount") : undefined;
  if (typeof count !== "number") throw new TypeError("LMDB does not count the entries of a table");
  return count;
}
