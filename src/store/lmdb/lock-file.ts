/**
 * Works around a fault in a dependency.
 *
 * - Dependency: LMDB inside lmdb-js (npm `lmdb`) 3.5.6. We know of no upstream report.
 * - Fault: LMDB makes its lock file with a hole and maps it. On a full disk the first write to that memory ends the
 *   process with SIGBUS.
 * - Without this file: a server that starts on a full disk ends without a word.
 * - Still needed? Let `allocateLockFile` do nothing and run `test/faults/low-disk.test.ts`. Once it passes, remove this
 *   file.
 */

import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeBytesOf, LOCK_FILE } from "./files.js";
import { StoreAway } from "./missing-data.js";

/** Room for `MDB_txninfo` and 512 of `MDB_reader` in lmdb-js's `mdb.c`, in whole pages. LMDB takes a larger file as it is. */
const LOCK_BYTES = 9 * 4096;

/** Reserves the disk space of a store's lock file before LMDB maps it. Throws StoreAway when there is no room. */
export function allocateLockFile(directory: string): void {
  const path = join(directory, LOCK_FILE);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (found.blocks === 0 && freeBytesOf(directory) < LOCK_BYTES) throw noRoom(directory);
    return;
  }
  try {
    // Some file systems find out only at a sync that there is no room.
    writeFileSync(path, Buffer.alloc(LOCK_BYTES), { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if (isFull(error) || freeBytesOf(directory) < LOCK_BYTES) {
      rmSync(path, { force: true });
      throw noRoom(directory);
    }
    // This user may not write here: LMDB opens what there is, or says why not.
  }
}

function noRoom(directory: string): StoreAway {
  return new StoreAway(
    `The disk of ${directory} is full: ${LOCK_FILE} needs ${LOCK_BYTES / 1024} KiB; free some space`,
  );
}

const FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && FULL.includes(error.code);
}
