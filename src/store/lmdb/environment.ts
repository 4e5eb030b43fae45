import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import { Commits, createTransact } from "./commits.js";
import { compact, mustHaveSameFiles, StoreReplaced } from "./compaction.js";
import { makeDirectory, mustBeWritable, syncDirectory } from "./files.js";
import {
  checkFormat,
  ERASED_KEY,
  erasedAt,
  FORMAT_KEY,
  FORMAT_NUMBER,
  type Meta,
  noteClock,
  noteErased,
  openMeta,
  savedClock,
  storeIdOf,
  upgradeFormat,
  type Write,
} from "./format.js";
import { type Inspection, inspectionOf } from "./inspection.js";
import type { Key } from "./keys.js";
import { isLockRace } from "./lock-race.js";
import { mustHaveItsData, StoreAway } from "./missing-data.js";
import { NewestCommit } from "./newest-commit.js";
import { openDatabase, openRoot } from "./open-root.js";
import { PageFile } from "./pages/page-file.js";
import type { SavedClock } from "./records.js";
import { filesOf, isSameFile, type StoreFiles, StoreNames } from "./replaced-files.js";
import { checkStoreFile, DATA_FILE, LOCK_FILE } from "./store-file.js";
import { Table } from "./table.js";
import { mustHaveItsTables, openTables, type Tables } from "./tables.js";
import { lockHolder } from "./write-lock.js";

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
  const wanted = { path: resolve(directory), readOnly, onDamage, log, newId, expectedId };
  for (let n = 1; ; n++) {
    let isRace = false;
    try {
      return await openOnce(wanted);
    } catch (error) {
      isRace = isLockRace(error);
      if ((!isRace && !(error instanceof StoreReplaced)) || n === TRIES) throw error;
    }
    if (isRace) await setTimeout(n * (20 + Math.random() * 30)); // random, so that competing processes do not retry together
  }
}

/** Attempts to open a store that is being compacted, or closed by its last user, at the same moment. */
const TRIES = 10;

/** What is to be opened, see `openEnvironment`. */
interface Wanted {
  readonly path: string;
  readonly readOnly: boolean;
  readonly onDamage: (table: string) => void;
  readonly log: (line: string) => void;
  readonly newId: () => string;
  readonly expectedId: string | undefined;
}

async function openOnce(wanted: Wanted): Promise<Environment> {
  const isThere = await prepareDirectory(wanted);
  const files = await openFiles(wanted, isThere);
  try {
    const commits = commitsOf(files, wanted);
    const opened = openAllTables(files, commits, wanted);
    const storeId = storeIdOf(opened.meta);
    if (wanted.expectedId !== undefined && storeId !== wanted.expectedId)
      throw new StoreAway(
        `Another store is in ${wanted.path} now: put the one back that was open, or restart Aisle to use it`,
      );
    const names = wanted.readOnly
      ? undefined
      : new StoreNames(wanted.path, mustHaveSameFiles(files.root, wanted.path, files.before));
    if (!wanted.readOnly) await syncDirectory(wanted.path); // LMDB syncs its files, not the names of the files
    return environmentOver(wanted, files, commits, names, { ...opened, storeId });
  } catch (error) {
    closeSync(files.dataFile);
    await files.root.close();
    throw asOpeningError(error);
  }
}

/** Makes the directory, and checks that it can be used and has not lost its store. Returns whether a store is there. */
async function prepareDirectory({ path, readOnly, log, expectedId }: Wanted): Promise<boolean> {
  const isThere = existsSync(join(path, DATA_FILE));
  if (expectedId !== undefined && !isThere) throw new StoreAway(`The store is no longer in ${path}: put it back`);
  if (!readOnly) {
    await makeDirectory(path);
    await mustBeWritable(path, [DATA_FILE, LOCK_FILE]);
  }
  mustHaveItsData(path);
  if (readOnly && !isThere) throw new Unavailable(`There is no store in ${path}`);
  checkStoreFile(path, log);
  return isThere;
}

/** The files of a store, open by LMDB and for reading their pages. */
interface OpenFiles {
  readonly root: RootDatabase<Uint8Array, Key>;
  readonly dataFile: number;
  /** The files before LMDB opened them. */
  readonly before: StoreFiles;
}

/**
 * The data file is open before LMDB opens it, and is kept open: so no file that replaces it gets its inode number and passes
 * for it.
 */
async function openFiles({ path, readOnly }: Wanted, isThere: boolean): Promise<OpenFiles> {
  let dataFile: number | undefined;
  let root: RootDatabase<Uint8Array, Key> | undefined;
  try {
    dataFile = isThere ? openDataFile(path) : undefined;
    const before = filesOf(path, dataFile);
    root = openRoot(path, readOnly);
    if (dataFile !== undefined && !isSameFile(before.data, filesOf(path).data)) throw new StoreReplaced();
    dataFile ??= openDataFile(path);
    return { root, dataFile, before };
  } catch (error) {
    if (dataFile !== undefined) closeSync(dataFile);
    await root?.close();
    throw asOpeningError(error);
  }
}

function openDataFile(path: string): number {
  try {
    return openSync(join(path, DATA_FILE), "r");
  } catch (error) {
    throw asOpeningError(error);
  }
}

function asOpeningError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return new Unavailable("The store directory cannot be opened", undefined, { cause: error });
}

interface OpenCommits {
  readonly newest: NewestCommit;
  readonly reads: Commits;
  /** Runs `body` in a write transaction while the store is opened or compacted, and blocks the process meanwhile. */
  readonly write: Write;
}

function commitsOf({ root, dataFile }: OpenFiles, { path, onDamage }: Wanted): OpenCommits {
  const newest = new NewestCommit(root, path);
  newest.settle();
  const reads = new Commits(root, newest, new PageFile(dataFile), onDamage);
  return { newest, reads, write: (body) => newest.write(() => reads.write(body)) };
}

/** The table of the format number. */
const META = "meta";

interface OpenTables {
  readonly databases: ReadonlyMap<string, Database<Uint8Array, Key>>;
  readonly meta: Meta;
  readonly tables: Tables;
}

/** Opens the tables, makes those that are missing in a new store, and upgrades the format. */
function openAllTables(
  { root }: OpenFiles,
  { reads, write }: OpenCommits,
  { readOnly, newId, log }: Wanted,
): OpenTables {
  const openAll = (): OpenTables => {
    const databases = new Map<string, Database<Uint8Array, Key>>();
    const open = (name: string) => {
      const database = openDatabase(root, name);
      databases.set(name, database);
      return database;
    };
    const before = reads.names();
    const meta = openMeta(open(META), reads);
    checkFormat(meta, readOnly);
    const tables = openTables((name, codec) => new Table(name, open(name), codec, reads));
    mustHaveItsTables(before, databases.keys(), meta.numbers.get(FORMAT_KEY) === FORMAT_NUMBER);
    return { databases, meta, tables };
  };
  if (readOnly) return openAll();
  const opened = write(openAll);
  upgradeFormat(write, { ...opened, newId }, log);
  return opened;
}

function environmentOver(
  { path, readOnly }: Wanted,
  { root }: OpenFiles,
  { newest, reads, write }: OpenCommits,
  names: StoreNames | undefined,
  { storeId, databases, meta, tables }: OpenTables & { readonly storeId: string },
): Environment {
  const transact = createTransact(reads, newest, names);
  return {
    directory: path,
    storeId,
    readOnly,
    tables,
    transact,
    checkNames: () => names?.check(),
    lockHolder: () => lockHolder(path),
    noteErased: (at) => transact(() => noteErased(meta, at)),
    erasedAt: () => erasedAt(meta),
    clock: () => savedClock(meta),
    noteClock: (clock) => noteClock(meta, clock),
    compact: () =>
      compact({
        directory: path,
        root,
        write,
        databases,
        view: () => reads.current(),
        openRoot: (to) => openRoot(to, false),
        openDatabase,
        isLeftOut: (table, key) => table === META && key === ERASED_KEY,
      }),
    snapshot: (body) => reads.snapshot(body),
    inspect: () => inspectionOf(reads.keep(), [...databases.keys()]),
    close: async () => {
      reads.close();
      await root.close();
    },
  };
}
