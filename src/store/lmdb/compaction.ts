import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import { Unavailable } from "../../domain/errors.js";
import { copyEntries } from "./inspection.js";
import { FIRST, type Key } from "./keys.js";
import type { PageView } from "./pages/page-view.js";
import { filesOf, isSameFile, type StoreFiles } from "./replaced-files.js";
import { DATA_FILE, LOCK_FILE } from "./store-file.js";

/** Temporary subdirectory for the compacted file. A crash may leave it behind; its contents are worthless. */
const PARTIAL = "compacting";

export interface CompactedEnvironment {
  readonly directory: string;
  readonly root: RootDatabase<Uint8Array, Key>;
  /** Runs `body` in one write transaction of it. */
  readonly write: <R>(body: () => R) => R;
  readonly databases: ReadonlyMap<string, Database<Uint8Array, Key>>;
  /** The newest commit. */
  readonly view: () => PageView;
  /** Opens an empty directory and one of its tables. */
  readonly openRoot: (directory: string) => RootDatabase<Uint8Array, Key>;
  readonly openDatabase: (root: RootDatabase<Uint8Array, Key>, name: string) => Database<Uint8Array, Key>;
  /** True for entries that are not copied. */
  readonly isLeftOut: (table: string, key: Key) => boolean;
}

/**
 * Replaces the store's file with a copy that holds only its entries, without the bytes of removed ones. Does nothing and
 * returns false while another process or thread has the store open. Otherwise close the environment afterwards: its file
 * was unlinked. Needs disk space for all entries and blocks the process for about 3 µs an entry. Throws DataDamaged and
 * changes nothing when the copy would be incomplete.
 *
 * The write lock is held while it checks for other readers, copies and renames. A process that opens the store meanwhile
 * waits for that lock before it writes, then finds that the files were replaced (`mustHaveSameFiles`). After a crash the
 * directory has the old or the new file, each complete. The next process to open the store alone makes a new lock file.
 */
export async function compact(environment: CompactedEnvironment): Promise<boolean> {
  const { directory, root, write, openRoot } = environment;
  takeReaderSlot(root);
  if (!isAlone(root)) return false;
  const partial = join(directory, PARTIAL);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  const copy = openRoot(partial);
  try {
    return write(() => {
      if (!isAlone(root)) return false;
      const { view, databases, openDatabase, isLeftOut } = environment;
      const open = (name: string) => openDatabase(copy, name);
      for (const _ of copyEntries(view(), databases.keys(), copy, open, isLeftOut)) {
        // all at once: nobody may write meanwhile
      }
      sync(join(partial, DATA_FILE));
      if (!isAlone(root)) return false;
      renameSync(join(partial, DATA_FILE), join(directory, DATA_FILE));
      rmSync(join(directory, LOCK_FILE), { force: true });
      sync(directory);
      return true;
    });
  } finally {
    await copy.close();
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * True when only this thread has a reader slot. Each open environment has one (`takeReaderSlot`). Process ids would not
 * suffice: processes in two containers may have the same id.
 */
function isAlone(root: RootDatabase<Uint8Array, Key>): boolean {
  root.readerCheck(); // frees the slots of dead processes
  const [, ...places] = root.readerList().trim().split("\n");
  return places.length === 1 && places[0]?.trim().split(/\s+/)[0] === String(process.pid);
}

function sync(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The opened files were replaced, usually by compaction: open the store again. */
export class StoreReplaced extends Unavailable {
  constructor() {
    super("The files of the store were replaced while it was opened");
  }
}

/**
 * Call this after all tables are open, since opening a table frees the reader slot. Takes a reader slot, then waits for
 * the write lock: a compacting process sees the slot, holds the lock, or has finished. Returns the open files. Throws
 * StoreReplaced when the store's files were replaced while it was opened.
 */
export function mustHaveSameFiles(
  root: RootDatabase<Uint8Array, Key>,
  directory: string,
  before: StoreFiles,
): StoreFiles {
  takeReaderSlot(root);
  root.transactionSync(() => undefined);
  const after = filesOf(directory);
  const isOther = (name: keyof StoreFiles) =>
    after[name] === undefined || (before[name] !== undefined && !isSameFile(before[name], after[name]));
  if (isOther("data") || isOther("lock")) throw new StoreReplaced();
  return after;
}

/** Takes one of LMDB's reader slots until the store is closed. */
function takeReaderSlot(root: RootDatabase<Uint8Array, Key>): void {
  root.resetReadTxn();
  root.get(FIRST);
}
