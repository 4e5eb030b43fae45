import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import { Unavailable } from "../../domain/errors.js";
import { FIRST, type Key, LAST } from "./keys.js";
import { DATA_FILE, LOCK_FILE } from "./store-file.js";

/** Where the compacted file is made, within the directory of the store. What a crash leaves there is of no use. */
const PARTIAL = "compacting";

/** Bytes written in one transaction of the copy. */
const COPIED_AT_ONCE = 2 ** 22;

export interface CompactedEnvironment {
  readonly directory: string;
  readonly root: RootDatabase<Uint8Array, Key>;
  /** Runs `body` in one write transaction of it. */
  readonly write: <R>(body: () => R) => R;
  readonly databases: ReadonlyMap<string, Database<Uint8Array, Key>>;
  /** Opens an empty directory and one of its tables. */
  readonly openRoot: (directory: string) => RootDatabase<Uint8Array, Key>;
  readonly openDatabase: (root: RootDatabase<Uint8Array, Key>, name: string) => Database<Uint8Array, Key>;
  /** What is not copied. */
  readonly isLeftOut: (table: string, key: Key) => boolean;
}

/**
 * Puts a copy that holds nothing but the entries in the place of the store's file, so that bytes of removed ones are in it
 * no more. False, and nothing done, while another process or thread has the store open. Afterwards the environment is to
 * be closed: its file has no name any more. It takes as much room on the disk as the entries do, and blocks the process
 * for some 3 µs an entry.
 *
 * The write lock is held from before it is found out that nobody else reads until the names are those of the new file.
 * Who opens the store meanwhile waits for that lock before anything is written, and then finds that the names have
 * changed (`mustHaveTheNames`). A crash leaves one file or the other, each whole: the lock file is made anew by whoever opens
 * the store alone.
 */
export async function compact(environment: CompactedEnvironment): Promise<boolean> {
  const { directory, root, write, openRoot } = environment;
  takePlace(root);
  if (!isAlone(root)) return false;
  const partial = join(directory, PARTIAL);
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  const copy = openRoot(partial);
  try {
    return write(() => {
      if (!isAlone(root)) return false;
      copyAll(environment, copy);
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
 * Nobody but this thread has a place among the readers. Each open environment has one (`takePlace`); process ids alone
 * tell nothing, since processes of two containers may have the same.
 */
function isAlone(root: RootDatabase<Uint8Array, Key>): boolean {
  root.readerCheck(); // the places of dead processes
  const [, ...places] = root.readerList().trim().split("\n");
  return places.length === 1 && places[0]?.trim().split(/\s+/)[0] === String(process.pid);
}

function copyAll(environment: CompactedEnvironment, copy: RootDatabase<Uint8Array, Key>): void {
  for (const [name, from] of environment.databases) {
    const to = environment.openDatabase(copy, name);
    const entries = from.getRange({ start: FIRST, end: LAST })[Symbol.iterator]();
    for (let isDone = false; !isDone; ) {
      copy.transactionSync(() => {
        for (let bytes = 0; bytes < COPIED_AT_ONCE; ) {
          const next = entries.next();
          if (next.done === true) {
            isDone = true;
            return;
          }
          const { key, value } = next.value;
          bytes += key.length + value.length;
          if (!environment.isLeftOut(name, key)) to.putSync(key, value);
        }
      });
    }
  }
}

function sync(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Which files have the names of a store now; undefined where one is not there. */
export interface StoreFiles {
  readonly data: string | undefined;
  readonly lock: string | undefined;
}

export function filesOf(directory: string): StoreFiles {
  return { data: inode(join(directory, DATA_FILE)), lock: inode(join(directory, LOCK_FILE)) };
}

/** The files that were opened have been replaced by compacted ones: the store is to be opened again. */
export class StoreReplaced extends Unavailable {
  constructor() {
    super("The store was compacted while it was opened");
  }
}

/**
 * To be called when nothing more is opened of a store, which takes the place among the readers away. Takes that place,
 * and then waits for the write lock: who compacts sees the place, or has the lock, or is done. Throws StoreReplaced when
 * the names of the store are those of other files than before it was opened.
 */
export function mustHaveTheNames(root: RootDatabase<Uint8Array, Key>, directory: string, before: StoreFiles): void {
  takePlace(root);
  root.transactionSync(() => undefined);
  const after = filesOf(directory);
  const isSame = (a: string | undefined, b: string | undefined) => a === undefined || a === b;
  if (!isSame(before.data, after.data) || !isSame(before.lock, after.lock)) throw new StoreReplaced();
}

/** Among LMDB's readers; it is kept until the store is closed. */
function takePlace(root: RootDatabase<Uint8Array, Key>): void {
  root.resetReadTxn();
  root.get(FIRST);
}

function inode(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}
