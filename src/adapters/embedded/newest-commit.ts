import { fstatSync, readdirSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { Key } from "./keys.js";
import { LOCK_FILE } from "./store-file.js";

/**
 * Keeps writes on top of the newest commit.
 *
 * LMDB's lock file holds the number of the newest commit, and a write transaction begins from the commit with that number.
 * Whoever opens the store sets it to the number that it read a moment before, without any lock: a commit that came in
 * between is then no longer seen, and is overwritten by the next. (It is LMDB's ITS#9496, which lmdb-js 3.5 still has.)
 * Here every write transaction asks the file itself, with the write lock held, before anything else is done in it; one that
 * began from an older commit is given up, the number is set right, and the transaction begins anew.
 */
export class NewestCommit {
  /** `directory` is that of the store open as `root`. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    private readonly directory: string,
  ) {}

  /** Runs `body` in a write transaction, at once; nothing is written when it throws. */
  write<R>(body: () => R): R {
    for (let n = 0; n < TRIES; n++) {
      const outcome = this.root.transactionSync(() => (this.isHere() ? { result: body() } : undefined));
      if (outcome !== undefined) return outcome.result;
    }
    throw new Unavailable("Writes of the store begin from old commits again and again");
  }

  /** The same in turn with others; nested, because lmdb-js commits a plain one even when its callback throws. */
  async transact(body: () => void): Promise<void> {
    for (let n = 0; n < TRIES; n++) {
      const isDone = await this.root.childTransaction(() => {
        if (!this.isHere()) return false;
        body();
        return true;
      });
      if (isDone) return;
    }
    throw new Unavailable("Writes of the store begin from old commits again and again");
  }

  /**
   * Raises the number without the write lock, for what is read: whoever opens the store may have set it back. Whoever
   * commits meanwhile writes the file first, then the number; one that came in between is met by looking again.
   */
  settle(): void {
    const fd = this.lockFile();
    for (let n = 0; fd !== undefined && n < TRIES; n++) {
      const newest = newestIn(this.root);
      if (readNumber(fd) >= newest) return;
      writeNumber(fd, newest);
    }
  }

  /** Within a write transaction: it began from the newest commit. Otherwise the next one does. */
  private isHere(): boolean {
    const newest = newestIn(this.root);
    if (this.root.getWriteTxnId() === newest + 1) return true;
    const fd = this.lockFile();
    if (fd === undefined) throw new Unavailable("The lock file of the store names an old commit");
    writeNumber(fd, newest);
    return false;
  }

  /**
   * LMDB's own descriptor of it: were the file opened here, closing it would give up the locks that the process has in it.
   */
  private lockFile(): number | undefined {
    const { dev, ino } = statSync(join(this.directory, LOCK_FILE), { throwIfNoEntry: false }) ?? {};
    return readdirSync(DESCRIPTORS)
      .map(Number)
      .find((fd) => {
        try {
          const found = fstatSync(fd);
          return found.dev === dev && found.ino === ino;
        } catch {
          return false; // closed meanwhile
        }
      });
  }
}

/** Times a transaction is begun. Others open the store as often in between only where something is wrong with them. */
const TRIES = 100;

/** Of this process, by number. */
const DESCRIPTORS = "/dev/fd";

/** Where the number stands in the lock file: `mtb_txnid` of `MDB_txbody` in lmdb-js's `mdb.c`. */
const NUMBER_AT = 8;
const NUMBER_BYTES = 8;

function readNumber(fd: number): number {
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
  throw new DataDamaged("LMDB does not tell the number of its newest commit");
}
