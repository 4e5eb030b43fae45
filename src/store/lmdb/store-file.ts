import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { DataDamaged } from "../../domain/errors.js";
import { areInTurn } from "./pages/page-file.js";
import {
  HEAD_BYTES,
  IS_BRANCH,
  IS_HEAD,
  IS_LEAF,
  IS_OVERFLOW,
  LARGE,
  MAGIC,
  NODE_HEADER_BYTES,
  PAGE_HEADER_BYTES,
  TREE,
} from "./pages/page-layout.js";

/** The files LMDB keeps in the directory of a store. */
export const DATA_FILE = "data.mdb";
export const LOCK_FILE = "lock.mdb";

/**
 * Checks LMDB's file before LMDB opens it. LMDB trusts the file, and a damaged one makes it crash the process.
 *
 * The file is a sequence of pages. Pages 0 and 1 are the heads: transaction n writes head n % 2, and the newer one counts.
 * Offsets are those of `MDB_page`, `MDB_meta` and `MDB_db` in lmdb-js's `dependencies/lmdb/libraries/liblmdb/mdb.c`.
 * This checks the head that counts and the root page of every tree. A file shorter than its head says may still be whole,
 * since LMDB does not write pages that it allocated at the end and freed again. Then this walks every tree, which reads
 * the whole file.
 *
 * Throws DataDamaged. It does not check values; `verifyStore` does.
 */
export function checkStoreFile(directory: string, log: (line: string) => void): void {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) return;
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return; // opening says why
  }
  try {
    if (fstatSync(fd).size > 0) check(fd, path, log);
  } finally {
    closeSync(fd);
  }
}

const VERSION = 2;
const NO_PAGE = 2n ** 64n - 1n;
const MAX_PAGE_BYTES = 0x8000;
const MIN_PAGE_BYTES = 256;
/** Deeper than any real tree. */
const MAX_DEPTH = 32;

/** Attempts before a fault is reported, since another process may be writing. */
const LOOKS = 5;

interface Head {
  readonly pageBytes: number;
  readonly transaction: bigint;
  readonly freeRoot: bigint;
  readonly mainRoot: bigint;
  readonly lastPage: bigint;
}

function check(fd: number, path: string, log: (line: string) => void): void {
  let before: bigint | undefined;
  for (let look = 1; ; look++) {
    const { head, fault, note } = findFault(fd);
    if (fault === undefined) {
      if (note !== undefined) log(`${note} in ${path}`);
      return;
    }
    // Two commits later LMDB reuses the pages of the commit that was checked.
    const isBeingWritten = before !== undefined && head !== undefined && head.transaction > before;
    if (look >= LOOKS) {
      if (isBeingWritten) return; // the writing process has the store open, so its file is usable
      throw new DataDamaged(`The file ${path} is damaged: ${fault}; restore the directory from a backup`);
    }
    before = head?.transaction ?? before;
  }
}

interface Finding {
  readonly head: Head | undefined;
  readonly fault?: string;
  /** A problem that does not keep the store from opening. */
  readonly note?: string;
}

function findFault(fd: number): Finding {
  const first = readHead(fd, 0);
  if (first === undefined) return { head: undefined, fault: "it does not begin as a store does" };
  const second = readHead(fd, first.pageBytes);
  // LMDB compares only the transaction numbers, even when the rest of the second head is invalid.
  const newer = transactionAt(fd, first.pageBytes) > first.transaction;
  if (newer && second === undefined) return { head: first, fault: "its newer head is unreadable" };
  const head = newer && second !== undefined ? second : first;
  if (head.pageBytes !== first.pageBytes) return { head, fault: "its heads differ in the size of pages" };
  if (second !== undefined && !areInTurn(Number(first.transaction), Number(second.transaction))) {
    return { head, fault: "its heads do not follow one another" };
  }
  const fault = new Trees(fd, head, fstatSync(fd).size).fault();
  if (fault !== undefined) return { head, fault };
  if (second !== undefined) return { head };
  return { head, note: "One of the two heads is damaged, the other holds; the last write may be missing" };
}

function readHead(fd: number, at: number): Head | undefined {
  const bytes = Buffer.alloc(HEAD_BYTES);
  if (readSync(fd, bytes, 0, HEAD_BYTES, at) < HEAD_BYTES) return undefined;
  const pageBytes = bytes.readUInt32LE(48);
  const isHead = (bytes.readUInt16LE(18) & IS_HEAD) !== 0;
  const isSize = pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES && (pageBytes & (pageBytes - 1)) === 0;
  const isVersion = bytes.readUInt32LE(24) === MAGIC && (bytes.readUInt32LE(28) & 0xffff) === VERSION;
  if (!isHead || !isSize || !isVersion) return undefined;
  return {
    pageBytes,
    transaction: bytes.readBigUInt64LE(152),
    freeRoot: bytes.readBigUInt64LE(88),
    mainRoot: bytes.readBigUInt64LE(136),
    lastPage: bytes.readBigUInt64LE(144),
  };
}

function transactionAt(fd: number, at: number): bigint {
  const bytes = Buffer.alloc(8);
  return readSync(fd, bytes, 0, 8, at + 152) < 8 ? 0n : bytes.readBigUInt64LE(0);
}

class Fault extends Error {}

/** The trees of one head, in a file of `fileBytes`. */
class Trees {
  private readonly pages: bigint;
  private readonly isShort: boolean;
  private readonly page: Buffer;
  private left: bigint;

  constructor(
    private readonly fd: number,
    private readonly head: Head,
    fileBytes: number,
  ) {
    this.pages = BigInt(Math.floor(fileBytes / head.pageBytes));
    this.isShort = head.lastPage + 1n > this.pages;
    this.page = Buffer.alloc(head.pageBytes);
    this.left = this.pages;
  }

  fault(): string | undefined {
    const { head } = this;
    if (head.lastPage < 1n || head.lastPage >= NO_PAGE / BigInt(head.pageBytes)) return "its newer head is unreadable";
    try {
      this.walk(head.freeRoot, this.isShort, 0, false);
      this.walk(head.mainRoot, true, 0, true);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  }

  /** Checks a page and, with `deep`, all pages below it. `isMain`: its values are the trees of the tables. */
  private walk(number: bigint, deep: boolean, depth: number, isMain: boolean): void {
    if (number === NO_PAGE && depth === 0) return; // an empty tree
    const flags = this.read(number);
    if (!deep) return;
    if (depth > MAX_DEPTH || this.left-- <= 0n) throw new Fault("a tree leads in circles");
    const next: (() => void)[] = [];
    for (const node of this.nodes()) {
      if (flags === IS_BRANCH) {
        const child = this.childOf(node);
        next.push(() => this.walk(child, deep, depth + 1, isMain));
        continue;
      }
      const kind = this.page.readUInt16LE(node + 4);
      const data = node + NODE_HEADER_BYTES + this.page.readUInt16LE(node + 6);
      if (kind === LARGE) {
        const [at, count] = [this.number(data), this.number(data + 16)];
        if (at + count > this.pages) throw new Fault("it is cut short");
        if (this.isShort) next.push(() => this.readLarge(at));
      } else if (kind === TREE && isMain) {
        const root = this.number(data + 40);
        next.push(() => this.walk(root, this.isShort, 0, false));
      } else if (kind !== 0 && !isMain) throw new Fault("a page of it holds something else");
    }
    for (const one of next) one();
  }

  /** Reads a page of a tree; returns IS_BRANCH or IS_LEAF. */
  private read(number: bigint): number {
    const flags = this.readAny(number);
    const kind = flags & (IS_BRANCH | IS_LEAF | IS_OVERFLOW | IS_HEAD);
    if (kind !== IS_BRANCH && kind !== IS_LEAF) throw new Fault("a page of it holds something else");
    return kind;
  }

  private readLarge(number: bigint): void {
    if ((this.readAny(number) & IS_OVERFLOW) === 0) throw new Fault("a page of it holds something else");
  }

  private readAny(number: bigint): number {
    const { pageBytes } = this.head;
    if (number < 2n || number > this.head.lastPage) throw new Fault("it leads to a page that it does not have");
    if (number >= this.pages) throw new Fault("it is cut short");
    if (readSync(this.fd, this.page, 0, pageBytes, Number(number) * pageBytes) < pageBytes)
      throw new Fault("it is cut short");
    if (this.page.readBigUInt64LE(0) !== number) throw new Fault("a page of it holds something else");
    return this.page.readUInt16LE(18);
  }

  /** Offsets of the page's nodes. Offsets within a page count from the end of its header (`PAGEBASE`). */
  private nodes(): number[] {
    const end = PAGE_HEADER_BYTES + this.page.readUInt16LE(20);
    if (end > this.page.length) throw new Fault("a page of it holds something else");
    const found: number[] = [];
    for (let at = PAGE_HEADER_BYTES; at + 2 <= end; at += 2) {
      const node = PAGE_HEADER_BYTES + this.page.readUInt16LE(at);
      if (node < end || node + NODE_HEADER_BYTES > this.page.length) {
        throw new Fault("a page of it holds something else");
      }
      found.push(node);
    }
    return found;
  }

  private childOf(node: number): bigint {
    const low = this.page.readUInt16LE(node) + this.page.readUInt16LE(node + 2) * 0x10000;
    return BigInt(low) + (BigInt(this.page.readUInt16LE(node + 4)) << 32n);
  }

  private number(at: number): bigint {
    if (at + 8 > this.page.length) throw new Fault("a page of it holds something else");
    return this.page.readBigUInt64LE(at);
  }
}
