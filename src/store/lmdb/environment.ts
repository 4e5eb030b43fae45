import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import { DataDamaged, DomainError, Unavailable } from "../../domain/errors.js";
import { DATA_FILE, mustBeReadable, mustTakeWrites, syncDirectory } from "./files.js";
import {
  checkFormat,
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
} from "./format.js";
import { type Inspection, inspectionOf } from "./inspection.js";
import type { Key } from "./keys.js";
import { markStore, mustHaveItsData, StoreAway } from "./missing-data.js";
import { OpenFile } from "./open-file.js";
import { isCutShort, newestCommit, openDatabase, openRoot, tableNames } from "./open-root.js";
import type { SavedClock } from "./records.js";
import { Table } from "./table.js";
import { mustHaveItsTables, openTables, type Tables } from "./tables.js";
import { Transactions } from "./transactions.js";

/** An open LMDB environment. */
export interface Environment {
  readonly directory: string;
  /** Created with the store; a backup has the same id. */
  readonly storeId: string;
  readonly readOnly: boolean;
  readonly tables: Tables;
  /**
   * Runs `body` in a write transaction; only one runs at a time. Resolves when its writes are on disk. Rejects and writes
   * nothing when `body` throws or the commit fails.
   */
  transact(body: () => void): Promise<void>;
  /** Throws StoreFileChanged when the open file is no longer that of the directory. */
  checkFile(): void;
  /** Keeps the pages of the newest commit and of later ones as they are, until the function that it answers is called. */
  hold(): () => void;
  /** Records that the file holds bytes of erased records, which the next compaction removes. */
  noteErased(at: number): Promise<void>;
  /** When `noteErased` was called first; undefined when the file holds no erased bytes. */
  erasedAt(): number | undefined;
  /** The clock at one of the last commits; undefined before the first. */
  clock(): SavedClock | undefined;
  /** Saves the clock, within `transact`. */
  noteClock(clock: SavedClock): void;
  /** Starts an inspection of the newest commit. */
  inspect(): Inspection;
  close(): Promise<void>;
}

/** A store to open, see `openEnvironment`. */
interface Wanted {
  readonly path: string;
  /** Where LMDB finds the data file, and keeps its lock file. */
  readonly lmdbPath: string;
  readonly readOnly: boolean;
  readonly onDamage: (table: string) => void;
  readonly log: (line: string) => void;
  readonly newId: () => string;
  readonly expectedId: string | undefined;
  /** Reads a whole store that may be cut short, in another process, since LMDB would end it there. */
  readonly isWhole: ((directory: string) => Promise<boolean>) | undefined;
}

/**
 * Opens a store and upgrades an older format. Several threads of one process may have it open. It rejects with
 * - FormatUnsupported for a newer format, and with `readOnly` for an older one;
 * - Unavailable when a read-only store is missing, or the directory is not writable;
 * - DataDamaged when a table is missing, or the file is cut short and not `isWhole`;
 * - StoreAway when the store has disappeared; with `expectedId` also when the directory holds no store or another one.
 */
export async function openEnvironment(
  directory: string,
  readOnly: boolean,
  onDamage: (table: string) => void,
  log: (line: string) => void = () => undefined,
  newId: () => string = randomUUID,
  expectedId?: string,
  isWhole?: (directory: string) => Promise<boolean>,
): Promise<Environment> {
  const path = resolve(directory);
  return openWanted({ path, lmdbPath: path, readOnly, onDamage, log, newId, expectedId, isWhole });
}

/**
 * Opens a store to read it while another process may write to it, which must hold its pages (`hold`) from before the call until the
 * reader has closed. LMDB tells readers apart by the ids of processes, which two containers share, and its lock file loses commits
 * when a process opens it at the wrong moment (LMDB's ITS#9496). So the reader has a lock file of its own: it finds the data file
 * by a link in a temporary folder.
 */
export async function openBeside(directory: string, onDamage: (table: string) => void): Promise<Environment> {
  const path = resolve(directory);
  const linked = await linkedFolder(path);
  try {
    const rest = { log: () => undefined, newId: randomUUID, expectedId: undefined, isWhole: undefined };
    const environment = await openWanted({ path, lmdbPath: linked.path, readOnly: true, onDamage, ...rest });
    return { ...environment, close: () => environment.close().finally(linked.remove) };
  } catch (error) {
    await linked.remove();
    throw error;
  }
}

/** A temporary folder with a link to the data file of a directory. */
export async function linkedFolder(directory: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "aisle-reader-"));
  const remove = () => rm(path, { recursive: true, force: true });
  await symlink(join(directory, DATA_FILE), join(path, DATA_FILE)).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { path, remove };
}

async function openWanted(wanted: Wanted): Promise<Environment> {
  await prepareDirectory(wanted);
  const root = openRoot(wanted.lmdbPath, wanted.readOnly);
  try {
    if (wanted.isWhole !== undefined && isCutShort(root, wanted.path) && !(await wanted.isWhole(wanted.path)))
      throw new DataDamaged(
        `The file ${join(wanted.path, DATA_FILE)} is damaged: it is cut short; restore the directory from a backup`,
      );
    const file = wanted.readOnly ? undefined : new OpenFile(wanted.path, () => newestCommit(root));
    const transactions = new Transactions(root, wanted.onDamage);
    const opened = openAllTables(root, transactions, wanted);
    const storeId = storeIdOf(opened.meta);
    if (wanted.expectedId !== undefined && storeId !== wanted.expectedId)
      throw new StoreAway(
        `Another store is in ${wanted.path} now: put the one back that was open, or restart Aisle to use it`,
      );
    if (!wanted.readOnly) {
      await syncDirectory(wanted.path); // LMDB syncs its files, not the names of the files
      await markStore(wanted.path, storeId);
    }
    return environmentOver(wanted, root, transactions, file, { ...opened, storeId });
  } catch (error) {
    await root.close();
    if (error instanceof DomainError) throw error;
    throw new Unavailable("The store directory cannot be opened", undefined, { cause: error });
  }
}

/** Makes the directory, and checks that it can be used and has not lost its store. */
async function prepareDirectory({ path, readOnly, expectedId }: Wanted): Promise<void> {
  const isThere = existsSync(join(path, DATA_FILE));
  if (expectedId !== undefined && !isThere) throw new StoreAway(`The store is no longer in ${path}: put it back`);
  if (!readOnly) await mustTakeWrites(path);
  mustHaveItsData(path);
  if (isThere) await mustBeReadable(join(path, DATA_FILE)); // where the disk fails, LMDB would end the process
  if (readOnly && !isThere) throw new Unavailable(`There is no store in ${path}`);
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
  root: RootDatabase<Uint8Array, Key>,
  transactions: Transactions,
  { readOnly, newId, log }: Wanted,
): OpenTables {
  const openAll = (): OpenTables => {
    const databases = new Map<string, Database<Uint8Array, Key>>();
    const open = (name: string) => {
      const database = openDatabase(root, name);
      databases.set(name, database);
      return database;
    };
    const before = tableNames(root);
    const meta = openMeta(open(META), transactions);
    checkFormat(meta, readOnly);
    const tables = openTables((name, codec) => new Table(name, open(name), codec, transactions));
    mustHaveItsTables(before, databases.keys(), meta.numbers.get(FORMAT_KEY) === FORMAT_NUMBER);
    return { databases, meta, tables };
  };
  if (readOnly) return openAll();
  const write = <R>(body: () => R): R => transactions.write(body);
  const opened = write(openAll);
  upgradeFormat(write, { ...opened, newId, drop: (name) => openDatabase(root, name).dropSync() }, log);
  return opened;
}

function environmentOver(
  { path, readOnly }: Wanted,
  root: RootDatabase<Uint8Array, Key>,
  transactions: Transactions,
  file: OpenFile | undefined,
  { storeId, databases, meta, tables }: OpenTables & { readonly storeId: string },
): Environment {
  const transact = async (body: () => void) => {
    await transactions.transact(() => {
      file?.check(); // nothing is written on top of another file
      body();
    });
    file?.check(); // a write counts only in the file that others will open
  };
  return {
    directory: path,
    storeId,
    readOnly,
    tables,
    transact,
    checkFile: () => file?.check(),
    hold: () => {
      const transaction = transactions.keep();
      return () => {
        if (!transactions.closed) transaction.done(); // closing has ended it otherwise
      };
    },
    noteErased: (at) => transact(() => noteErased(meta, at)),
    erasedAt: () => erasedAt(meta),
    clock: () => savedClock(meta),
    noteClock: (clock) => noteClock(meta, clock),
    inspect: () => inspectionOf(transactions.keep(), databases),
    close: async () => {
      transactions.closed = true;
      await root.close();
    },
  };
}
