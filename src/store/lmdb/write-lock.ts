/**
 * Who holds LMDB's write lock, for a log line while a write waits. LMDB cannot say it. The offsets below come from `mdb.c` of
 * lmdb-js (npm `lmdb`) 3.5.6; check them on upgrades.
 */

import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { LOCK_FILE } from "./store-file.js";

/** LMDB's own descriptor of the lock file; undefined while this process does not have the store open. */
export function lockFileOf(directory: string): number | undefined {
  return descriptorOf(directory, "/dev/fd", (fd) => fstatSync(Number(fd)));
}

/** The descriptor in `folder` that refers to the lock file. */
function descriptorOf(directory: string, folder: string, statOf: (name: string) => Stats): number | undefined {
  const { dev, ino } = statSync(join(directory, LOCK_FILE), { throwIfNoEntry: false }) ?? {};
  const name = readdirSync(folder).find((name) => {
    try {
      const found = statOf(name);
      return found.dev === dev && found.ino === ino;
    } catch {
      return false; // closed meanwhile
    }
  });
  return name === undefined ? undefined : Number(name);
}

/**
 * Offset of the write lock's owner in the lock file. The lock is `mti_wmutex` in lmdb-js's `mdb.c`, a `pthread_mutex_t` of
 * glibc. The word read here is the id of the owning thread and two flags. Sizes and offsets differ by processor.
 */
const MUTEX_AT: Readonly<Record<string, number>> = { x64: 64, arm64: 128 };
const THREAD_BITS = 0x3fffffff;
/** `mti_txnid`: the number of the newest commit. */
const COMMIT_AT = 8;

interface Held {
  readonly thread: number;
  readonly commit: number;
}

/**
 * Reads the beginning of the lock file and returns the number of bytes read. Opens the file only while this process does
 * not have the store open: closing any descriptor of the file drops all locks that the process holds in it.
 */
function readLockFile(directory: string, bytes: Buffer): number {
  const open = lockFileOf(directory);
  if (open !== undefined) return readSync(open, bytes, 0, bytes.length, 0);
  let fd: number | undefined;
  try {
    fd = openSync(join(directory, LOCK_FILE), "r");
    return readSync(fd, bytes, 0, bytes.length, 0);
  } catch {
    return 0; // LMDB makes it, or says why it cannot read it
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The holder of the write lock; undefined when it is free, null when the platform does not show it. */
function heldBy(directory: string): Held | undefined | null {
  const at = process.platform === "linux" ? MUTEX_AT[process.arch] : undefined;
  if (at === undefined) return null;
  const bytes = Buffer.alloc(at + 4);
  if (readLockFile(directory, bytes) < bytes.length) return null;
  const thread = bytes.readUInt32LE(at) & THREAD_BITS;
  return thread === 0 ? undefined : { thread, commit: Number(bytes.readBigUInt64LE(COMMIT_AT)) };
}

/** The thread's process: its id, and a text with its state such as `stopped`. Undefined when no such thread is visible. */
function processOf(thread: number): { readonly pid: number; readonly words: string } | undefined {
  try {
    const status = readFileSync(`/proc/${thread}/status`, "utf8");
    const pid = Number(/^Tgid:\s+(\d+)/m.exec(status)?.[1]);
    const state = /^State:\s+\S+ \((.+)\)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "unknown";
    return { pid, words: `process ${pid} (${state})` };
  } catch {
    return undefined; // it ended meanwhile, or runs in another container
  }
}

const UNSEEN = "a process that is not seen from here";

/** Describes the process that holds the write lock of an open store; undefined when it is free or held by this process. */
export function lockHolder(directory: string): string | undefined {
  const held = heldBy(directory);
  if (held === null) return UNSEEN;
  if (held === undefined) return undefined;
  const holder = processOf(held.thread);
  return holder?.pid === process.pid ? undefined : (holder?.words ?? UNSEEN);
}
