/**
 * Works around a fault in a dependency.
 *
 * - Dependency: LMDB inside lmdb-js (npm `lmdb`) 3.5.6.
 * - Fault: LMDB's lock file holds the number of the newest commit, where each write transaction begins. `mdb_env_open2`
 *   sets that number, without a lock, to one that it read a moment before. We know it as LMDB's ITS#9496,
 *   https://bugs.openldap.org/show_bug.cgi?id=9496.
 * - Without this file: when a process opens the store during another one's commit, that commit becomes invisible and the
 *   next one overwrites it. Acknowledged events are lost.
 * - Still needed? Make `beganFromNewest` return true and run `test/store/lmdb/newest-commit.test.ts`. With 3.5.6 its worker dies.
 *   The fault is gone only if `processes open and close while others write` passes repeatedly. The other tests set the
 *   number back themselves, so they fail with any LMDB.
 */

import { readSync, writeSync } from "node:fs";
import type { RootDatabase } from "lmdb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { Key } from "./keys.js";
import { type PageFile, readHead } from "./pages/page-file.js";
import { PageDamaged, type PageHead } from "./pages/page-layout.js";
import { StoreFilesChanged } from "./replaced-files.js";
import { DATA_FILE } from "./store-file.js";
import { lockFileOf } from "./write-lock.js";

/**
 * Keeps writes on top of the newest commit. Each write transaction first compares its start with the heads in the data
 * file, while it holds the write lock. If it began from an older commit, it is aborted, the number is corrected, and the
 * transaction starts again.
 */
export class NewestCommit {
  /** The greatest number seen. */
  private greatest = 0;
  private found: number | undefined;

  /** `directory` is that of the store open as `root`. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    private readonly directory: string,
  ) {}

  /** Runs `body` in a write transaction, synchronously; writes nothing when it throws. */
  write<R>(body: () => R): R {
    for (let n = 0; n < TRIES; n++) {
      const outcome = this.root.transactionSync(() => (this.beganFromNewest() ? { result: body() } : undefined));
      if (outcome !== undefined) return outcome.result;
    }
    throw new Unavailable("Writes keep starting from old commits of the store");
  }

  /** The same, queued behind other transactions. Nested, because lmdb-js commits a plain one even when its callback throws. */
  async transact(body: () => void): Promise<void> {
    for (let n = 0; n < TRIES; n++) {
      const isDone = await this.root.childTransaction(() => {
        if (!this.beganFromNewest()) return false;
        body();
        return true;
      });
      if (isDone) return void this.newest();
    }
    throw new Unavailable("Writes keep starting from old commits of the store");
  }

  /** Throws StoreFilesChanged when the file's newest commit is older than before: somebody copied a backup over it. */
  private newest(): number {
    const newest = newestIn(this.root);
    if (newest < this.greatest) throw new StoreFilesChanged(`overwrote ${DATA_FILE}`);
    this.greatest = newest;
    return newest;
  }

  /**
   * Raises the number for readers, without the write lock, since opening the store may have set it back. A concurrent
   * commit writes the file first, then the number; the loop finds it.
   */
  settle(): void {
    const fd = this.lockFile();
    for (let n = 0; fd !== undefined && n < TRIES; n++) {
      const newest = newestIn(this.root);
      if (commitNumberIn(fd) >= newest) return;
      writeNumber(fd, newest);
    }
  }

  /**
   * The head of the newest commit that readers see, by the number in the lock file. The data file shows a commit a moment
   * before it is on disk. Throws PageDamaged when the file has no head for that number.
   */
  head(file: PageFile): PageHead {
    for (let n = 0; n < TRIES; n++) {
      const fd = this.lockFile();
      const head = readHead(file, fd === undefined ? newestIn(this.root) : commitNumberIn(fd));
      if (head !== undefined) return head;
      this.settle();
    }
    throw new PageDamaged("The head of the newest commit is damaged");
  }

  /**
   * Within a write transaction: the head of the commit that it began from. A process that opens the store may set the
   * number in the lock file back meanwhile, but that changes no transaction under way.
   */
  headBelow(file: PageFile): PageHead {
    const head = readHead(file, this.root.getWriteTxnId() - 1);
    if (head === undefined) throw new PageDamaged("The head of the newest commit is damaged");
    return head;
  }

  /** True while no commit is newer. Needs no system call. */
  isNewest(transaction: number): boolean {
    return newestIn(this.root) === transaction;
  }

  /** Within a write transaction: true when it began from the newest commit. Otherwise corrects the number for the next try. */
  private beganFromNewest(): boolean {
    const newest = this.newest();
    if (this.root.getWriteTxnId() === newest + 1) return true;
    const fd = this.lockFile();
    if (fd === undefined) throw new Unavailable("The lock file of the store names an old commit");
    writeNumber(fd, newest);
    return false;
  }

  /** LMDB's own descriptor, valid while the store is open. */
  private lockFile(): number | undefined {
    this.found ??= lockFileOf(this.directory);
    return this.found;
  }
}

/** Attempts to begin a transaction. Only a faulty process opens the store that often in between. */
const TRIES = 100;

/** Offset of the number in the lock file: `mtb_txnid` of `MDB_txbody` in lmdb-js's `mdb.c`. */
const NUMBER_AT = 8;
const NUMBER_BYTES = 8;

/** The number in an open lock file; 0 when it is too short to have one. */
export function commitNumberIn(fd: number): number {
  const number = Buffer.alloc(NUMBER_BYTES);
  readSync(fd, number, 0, NUMBER_BYTES, NUMBER_AT);
  return Number(number.readBigUInt64LE());
}

function writeNumber(fd: number, value: number): void {
  const number = Buffer.alloc(NUMBER_BYTES);
  number.writeBigUInt64LE(BigInt(value));
  writeSync(fd, number, 0, NUMBER_BYTES, NUMBER_AT);
}

/** The number of the newest commit, by the heads of the file. */
function newestIn(root: RootDatabase<Uint8Array, Key>): number {
  const environment: unknown = Reflect.get(root, "env"); // lmdb-js does not declare it; `getStats` walks the free pages too
  if (typeof environment === "object" && environment !== null && "info" in environment) {
    const { info } = environment;
    const found: unknown = typeof info === "function" ? info.call(environment) : undefined;
    if (typeof found === "object" && found !== null && "lastTxnId" in found && typeof found.lastTxnId === "number") {
      return found.lastTxnId;
    }
  }
  throw new DataDamaged("LMDB does not report its newest commit");
}
