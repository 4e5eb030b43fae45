import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Database, open, type RootDatabase } from "lmdb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import { compact, filesOf, mustHaveTheNames, StoreReplaced } from "./compaction.js";
import { makeDirectory, mustBeWritable, syncDirectory } from "./files.js";
import {
  checkFormat,
  ERASED_KEY,
  erasedAt,
  noteErased,
  openMeta,
  storeIdOf,
  upgradeFormat,
  type Write,
} from "./format.js";
import { beginInspection, copyEntries, type TableInspection } from "./inspection.js";
import type { Key } from "./keys.js";
import { isLockRace, openedWhole } from "./lock-race.js";
import { NewestCommit } from "./newest-commit.js";
import { checkStoreFile, DATA_FILE, LOCK_FILE } from "./store-file.js";
import { Table, type TableContext } from "./table.js";
import { openTables, type Tables } from "./tables.js";

/** All tables as one commit left them, until `end`. */
export interface Inspection {
  of<T>(table: Table<T>): TableInspection<T>;
  /** Writes all of it into an empty directory; see `copyEntries`. */
  copyTo(directory: string): Promise<void>;
  end(): void;
}

/** An open LMDB environment. */
export interface Environment {
  readonly directory: string;
  /** The name the store got when it was made; a backup has the same. */
  readonly storeId: string;
  readonly readOnly: boolean;
  readonly tables: Tables;
  /**
   * Runs `body` in the one write transaction there is at a time, over all threads and processes. Resolves when its
   * writes are on disk; rejects, with nothing written, when `body` throws or the commit fails.
   */
  transact(body: () => void): Promise<void>;
  /** Runs `body`, all of whose reads see one and the same commit: the newest. */
  snapshot<R>(body: () => R): R;
  /** Notes that the bytes of removed records must leave the file; they do when it is compacted. */
  noteErased(at: number): Promise<void>;
  /** Since when they must; undefined when there are none. */
  erasedAt(): number | undefined;
  /** See `compaction.ts`: to be called before anything else is done with the environment, which is closed after it. */
  compact(): Promise<boolean>;
  /** Begins to look at the newest commit as a whole. */
  inspect(): Inspection;
  close(): Promise<void>;
}

/**
 * Upgrades a store of an older Aisle. Rejects with FormatUnsupported for one of a newer Aisle, and for an older one that
 * is only to be read; with Unavailable when there is none to read, or nothing can be written in the directory; with
 * DataDamaged for a file that LMDB would not survive opening.
 */
export async function openEnvironment(
  directory: string,
  readOnly: boolean,
  onDamage: (table: string) => void,
  log: (line: string) => void = () => undefined,
  newId: () => string = randomUUID,
): Promise<Environment> {
  for (let n = 1; ; n++) {
    let isRace = false;
    try {
      return await openOnce(directory, readOnly, onDamage, log, newId);
    } catch (error) {
      isRace = isLockRace(error);
      if ((!isRace && !(error instanceof StoreReplaced)) || n === TRIES) throw error;
    }
    if (isRace) await setTimeout(n * (20 + Math.random() * 30)); // others who met the same do not come again all at once
  }
}

/** Times a store is opened because it was compacted, or closed by its last user, in the moment it was opened. */
const TRIES = 10;

async function openOnce(
  directory: string,
  readOnly: boolean,
  onDamage: (table: string) => void,
  log: (line: string) => void,
  newId: () => string,
): Promise<Environment> {
  const path = resolve(directory);
  if (readOnly) {
    if (!existsSync(join(path, DATA_FILE))) throw new Unavailable(`There is no store in ${path}`);
  } else {
    await makeDirectory(path);
    await mustBeWritable(path, [DATA_FILE, LOCK_FILE]);
  }
  checkStoreFile(path, log);
  const before = filesOf(path);
  const root = openRoot(path, readOnly);
  try {
    const context: TableContext = { onDamage, closed: false, pinned: false };
    const newest = new NewestCommit(root, path);
    newest.settle();
    const databases = new Map<string, Database<Uint8Array, Key>>();
    const openAll = () => {
      const metaDatabase = openDatabase(root, META);
      databases.set(META, metaDatabase);
      const meta = openMeta(metaDatabase, context);
      checkFormat(meta, readOnly);
      const tables = openTables((name, codec) => {
        const database = openDatabase(root, name);
        databases.set(name, database);
        return new Table(name, database, codec, context);
      });
      return { meta, tables };
    };
    const write: Write = (body) => newest.write(body);
    const { meta, tables } = readOnly ? openAll() : write(openAll);
    if (!readOnly) upgradeFormat(write, { meta, tables, newId }, log);
    if (!readOnly) mustHaveTheNames(root, path, before);
    if (!readOnly) await syncDirectory(path); // LMDB syncs its files, not the names of the files
    const pinnedTransact = (body: () => void): Promise<void> =>
      transact(newest, () => {
        context.pinned = true;
        try {
          body();
        } finally {
          context.pinned = false;
        }
      });
    return {
      directory: path,
      storeId: storeIdOf(meta),
      readOnly,
      tables,
      transact: pinnedTransact,
      noteErased: (at) => pinnedTransact(() => noteErased(meta, at)),
      erasedAt: () => erasedAt(meta),
      compact: () =>
        compact({
          directory: path,
          root,
          write,
          databases,
          openRoot: (to) => openRoot(to, false),
          openDatabase,
          isLeftOut: (table, key) => table === META && key === ERASED_KEY,
        }),
      snapshot: (body) => {
        if (context.pinned || context.closed) return body();
        root.resetReadTxn();
        context.pinned = true;
        try {
          return body();
        } finally {
          context.pinned = false;
        }
      },
      inspect: () => {
        const { transaction, counts } = beginInspection(root, databases);
        return {
          of: (one) => one.inspect(transaction, counts.get(one.name) ?? 0),
          copyTo: async (to) => {
            const copy = openRoot(to, false);
            try {
              const pairs = [...databases].map(([name, database]) => [database, openDatabase(copy, name)] as const);
              await copyEntries(pairs, copy, transaction);
            } finally {
              await copy.close();
            }
          },
          end: () => transaction.done(),
        };
      },
      close: async () => {
        context.closed = true;
        await root.close();
      },
    };
  } catch (error) {
    await root.close();
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

/** Keys are written as UTF-8; the values pass through as bytes, seen where lmdb-js put them. */
const AS_BYTES = {
  encoding: "binary",
  compression: false,
  keyEncoder: {
    writeKey: (key: Key, target: Buffer, start: number): number => start + target.write(key, start),
    readKey: (source: Buffer, start: number, end: number): Key => source.toString("utf8", start, end),
  },
  encoder: {
    encode: (bytes: Uint8Array): Uint8Array => bytes,
    decode: (bytes: Uint8Array): Uint8Array => bytes,
  },
} as const;

/** The table of the format number. */
const META = "meta";

const MAX_TABLES = 64;
const MAX_READERS = 512;

function openRoot(path: string, readOnly: boolean): RootDatabase<Uint8Array, Key> {
  const options = {
    noSubdir: false, // else a directory with a dot in its name is taken for a file
    overlappingSync: false, // a resolved write is on disk
    // The writer gathers works by itself. The library's own batches also hold a promise that nobody can await: when a
    // commit fails, its rejection would end the process ("after a sync failed, events are answered 503 …").
    eventTurnBatching: false,
    permissionsMode: 0o600, // the files hold personal data
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    readOnly,
    ...AS_BYTES,
  };
  try {
    return openedWhole(() => open<Uint8Array, Key>(path, options));
  } catch (error) {
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

function openDatabase(root: RootDatabase<Uint8Array, Key>, name: string): Database<Uint8Array, Key> {
  const database: Database<Uint8Array, Key> | undefined = root.openDB<Uint8Array, Key>(name, { name, ...AS_BYTES });
  if (database === undefined) throw new Unavailable("The directory holds no complete store");
  return database;
}

/** What a failed commit rejects with names its cause only through a second promise. */
async function transact(newest: NewestCommit, body: () => void): Promise<void> {
  try {
    await newest.transact(body);
  } catch (error) {
    throw await commitCause(error);
  }
}

async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
