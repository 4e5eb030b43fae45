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

import { randomUUID } from "node:crypto";
import { linkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeBytesOf, LOCK_FILE } from "./files.js";
import { StoreAway } from "./missing-data.js";

/** Room for `MDB_txninfo` and 512 of `MDB_reader` in lmdb-js's `mdb.c`, in whole pages. LMDB takes a larger file as it is. */
const LOCK_BYTES = 9 * 4096;

/**
 * Reserves the disk space of a store's lock file before LMDB maps it. Throws StoreAway when there is no room.
 *
 * The file gets its name by a link once it is complete, because another process may create one at the same time. Its
 * descriptor is closed before that: closing it later would drop the locks that this process holds in the file.
 */
export function allocateLockFile(directory: string): void {
  const path = join(directory, LOCK_FILE);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (found.blocks === 0 && freeBytesOf(directory) < LOCK_BYTES) throw noRoom(directory);
    return;
  }
  const whole = `${path}.${randomUUID()}.tmp`;
  try {
    // Some file systems find out only at a sync that there is no room.
    writeFileSync(whole, Buffer.alloc(LOCK_BYTES), { mode: 0o600, flag: "wx", flush: true });
    linkSync(whole, path);
  } catch (error) {
    if (isFull(error) || freeBytesOf(directory) < LOCK_BYTES) throw noRoom(directory);
    // Another process was faster, or this one may not write here: LMDB opens what there is.
  } finally {
    rmSync(whole, { force: true });
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
