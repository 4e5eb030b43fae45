import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import { Commits, commitCause, mustHaveItsTables } from "./commits.js";
import { compact, mustHaveSameFiles, StoreReplaced } from "./compaction.js";
import { makeDirectory, mustBeWritable, syncDirectory } from "./files.js";
import {
  checkFormat,
  ERASED_KEY,
  erasedAt,
  FORMAT_KEY,
  FORMAT_NUMBER,
  noteClock,
  noteErased,
  openMeta,
  savedClock,
  storeIdOf,
  upgradeFormat,
  type Write,
} from "./format.js";
import { copyEntries, type TableInspection } from "./inspection.js";
import type { Key } from "./keys.js";
import { isLockRace } from "./lock-race.js";
import { mustHaveItsData, StoreAway } from "./missing-data.js";
import { NewestCommit } from "./newest-commit.js";
import { PageFile } from "./pages/page-file.js";
import type { SavedClock } from "./records.js";
import { filesOf, isSameFile, StoreNames } from "./replaced-files.js";
import { openDatabase, openRoot } from "./root.js";
import { checkStoreFile, DATA_FILE, LOCK_FILE } from "./store-file.js";
import { Table, type TableContext } from "./table.js";
import { openTables, type Tables } from "./tables.js";
import { lockHolder, waitForLock } from "./write-lock.js";

/** All tables as of one commit, until `end`. */
export interface Inspection {
  of<T>(table: Table<T>): TableInspection<T>;
  /** Rejects with DataDamaged when any of it is damaged. */
  check(): Promise<void>;
  /** Writes all of it into an empty directory; see `copyEntries`. */
  copyTo(directory: string): Promise<void>;
  end(): void;
}

/** An open LMDB environment. */
export interface Environment {
  readonly directory: string;
  /** Created with the store; a backup has the same id. */
  readonly storeId: string;
  readonly readOnly: boolean;
  readonly tables: Tables;
  /**
   * Runs `body` in a write transaction; only one runs at a time over all threads and processes. Resolves when its writes
   * are on disk. Rejects and writes nothing when `body` throws or the commit fails.
   */
  transact(body: () => void): Promise<void>;
  /** Throws StoreFilesChanged when the open files are no longer those of the directory. */
  checkNames(): void;
  /** Runs `body` with all its reads on one commit, the newest. */
  snapshot<R>(body: () => R): R;
  /** Describes the other process that holds the write lock, for a log line. */
  lockHolder(): string | undefined;
  /** Records that the file holds bytes of erased records, which the next compaction removes. */
  noteErased(at: number): Promise<void>;
  /** When `noteErased` was called first; undefined when the file holds no erased bytes. */
  erasedAt(): number | undefined;
  /** The clock at one of the last commits; undefined before the first. */
  clock(): SavedClock | undefined;
  /** Saves the clock, within `transact`. */
  noteClock(clock: SavedClock): void;
  /** See `compaction.ts`. Call it before any other use of the environment, and close the environment afterwards. */
  compact(): Promise<boolean>;
  /** Starts an inspection of the newest commit. */
  inspect(): Inspection;
  close(): Promise<void>;
}

/**
 * Opens a store and upgrades an older format. It rejects with
 * - FormatUnsupported for a newer format, and with `readOnly` for an older one;
 * - Unavailable when a read-only store is missing, the directory is not writable, or another process holds the write lock
 *   for too long;
 * - DataDamaged for a file that would crash LMDB;
 * - StoreAway when the store has disappeared; with `expectedId` also when the directory holds no store or another one.
 */
export async function openEnvironment(
  directory: string,
  readOnly: boolean,
  onDamage: (table: string) => void,
  log: (line: string) => void = () => undefined,
  newId: () => string = randomUUID,
  expectedId?: string,
): Promise<Environment> {
  for (let n = 1; ; n++) {
    let isRace = false;
    try {
      return await openOnce(directory, readOnly, onDamage, log, newId, expectedId);
    } catch (error) {
      isRace = isLockRace(error);
      if ((!isRace && !(error instanceof StoreReplaced)) || n === TRIES) throw error;
    }
    if (isRace) await setTimeout(n * (20 + Math.random() * 30)); // random, so that competing processes do not retry together
  }
}

/** Attempts to open a store that is being compacted, or closed by its last user, at the same moment. */
const TRIES = 10;

async function openOnce(
  directory: string,
  readOnly: boolean,
  onDamage: (table: string) => void,
  log: (line: string) => void,
  newId: () => string,
  expectedId: string | undefined,
): Promise<Environment> {
  const path = resolve(directory);
  const isThere = existsSync(join(path, DATA_FILE));
  if (expectedId !== undefined && !isThere) throw new StoreAway(`The store is no longer in ${path}: put it back`);
  if (!readOnly) {
    await makeDirectory(path);
    await mustBeWritable(path, [DATA_FILE, LOCK_FILE]);
  }
  mustHaveItsData(path);
  if (readOnly && !isThere) throw new Unavailable(`There is no store in ${path}`);
  checkStoreFile(path, log);
  // Open before LMDB opens it, and kept open: so no file that replaces it gets its inode number and passes for it.
  let dataFile = isThere ? openDataFile(path) : undefined;
  let root: RootDatabase<Uint8Array, Key> | undefined;
  try {
    const files = filesOf(path, dataFile);
    if (!readOnly) await waitForLock(path, log);
    const opened = openRoot(path, readOnly);
    root = opened;
    if (dataFile !== undefined && !isSameFile(files.data, filesOf(path).data)) throw new StoreReplaced();
    dataFile ??= openDataFile(path);
    const newest = new NewestCommit(opened, path);
    newest.settle();
    const reads = new Commits(opened, newest, new PageFile(dataFile));
    const context: TableContext = { onDamage, closed: false, pinned: false, view: () => reads.view() };
    const pinned = <R>(body: () => R): R => {
      context.pinned = true;
      try {
        return body();
      } finally {
        context.pinned = false;
      }
    };
    if (!readOnly) await waitForLock(path, log);
    const databases = new Map<string, Database<Uint8Array, Key>>();
    const openAll = () => {
      const before = reads.current().names();
      const metaDatabase = openDatabase(opened, META);
      databases.set(META, metaDatabase);
      const meta = openMeta(metaDatabase, context);
      checkFormat(meta, readOnly);
      const tables = openTables((name, codec) => {
        const database = openDatabase(opened, name);
        databases.set(name, database);
        return new Table(name, database, codec, context);
      });
      mustHaveItsTables(before, databases.keys(), meta.numbers.get(FORMAT_KEY) === FORMAT_NUMBER);
      return { meta, tables };
    };
    const write: Write = (body) => newest.write(() => reads.write(body));
    const { meta, tables } = readOnly ? openAll() : write(openAll);
    if (!readOnly) upgradeFormat(write, { meta, tables, newId }, log);
    const storeId = storeIdOf(meta);
    if (expectedId !== undefined && storeId !== expectedId)
      throw new StoreAway(
        `Another store is in ${path} now: put the one back that was open, or restart Aisle to use it`,
      );
    const names = readOnly ? undefined : new StoreNames(path, mustHaveSameFiles(opened, path, files));
    if (!readOnly) await syncDirectory(path); // LMDB syncs its files, not the names of the files
    const pinnedTransact = async (body: () => void): Promise<void> => {
      await transact(newest, () => {
        names?.check(); // after a rename others may use new files, which our lock does not protect
        reads.write(() => pinned(body));
      });
      names?.check(); // a write counts only in the files that others will open
    };
    return {
      directory: path,
      storeId,
      readOnly,
      tables,
      transact: pinnedTransact,
      checkNames: () => names?.check(),
      lockHolder: () => lockHolder(path),
      noteErased: (at) => pinnedTransact(() => noteErased(meta, at)),
      erasedAt: () => erasedAt(meta),
      clock: () => savedClock(meta),
      noteClock: (clock) => noteClock(meta, clock),
      compact: () =>
        compact({
          directory: path,
          root: opened,
          write,
          databases,
          view: () => reads.current(),
          openRoot: (to) => openRoot(to, false),
          openDatabase,
          isLeftOut: (table, key) => table === META && key === ERASED_KEY,
        }),
      snapshot: (body) => {
        if (context.pinned || context.closed) return body();
        return reads.read(() => pinned(body));
      },
      inspect: () => {
        const { transaction, view } = reads.keep();
        return {
          of: (one) => one.inspect(transaction, view),
          check: async () => {
            for (const _ of view.check()) await setImmediate();
          },
          copyTo: async (to) => {
            const copy = openRoot(to, false);
            try {
              const open = (name: string) => openDatabase(copy, name);
              for (const _ of copyEntries(view, databases.keys(), copy, open)) await setImmediate();
            } finally {
              await copy.close();
            }
          },
          end: () => transaction.done(),
        };
      },
      close: async () => {
        if (!context.closed) reads.close();
        context.closed = true;
        await opened.close();
      },
    };
  } catch (error) {
    if (dataFile !== undefined) closeSync(dataFile);
    await root?.close();
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

function openDataFile(path: string): number {
  try {
    return openSync(join(path, DATA_FILE), "r");
  } catch (error) {
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

/** The table of the format number. */
const META = "meta";

/** lmdb-js's error for a failed commit carries its cause only in a second promise. */
async function transact(newest: NewestCommit, body: () => void): Promise<void> {
  try {
    await newest.transact(body);
  } catch (error) {
    throw await commitCause(error);
  }
}
