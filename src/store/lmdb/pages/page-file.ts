import { readSync } from "node:fs";
import { Page } from "./page.js";
import { HEAD_BYTES, IS_BRANCH, IS_HEAD, MAGIC, numberAt, PageDamaged, type PageHead, treeAt } from "./page-layout.js";

/** Checked branch pages in the cache: 1 MiB, enough to reach about ten thousand leaves. */
const KEPT_BRANCHES = 256;
const KEPT_LEAVES = 8;

/** An open file of pages. */
export class PageFile {
  readonly pageBytes: number;
  /** 1 where a node begins, while a page is being checked. */
  readonly begins: Uint8Array;
  private readonly branches = new Map<number, Page>();
  private readonly leaves: Page[] = [];
  private readonly stamp = Buffer.alloc(16);

  constructor(readonly fd: number) {
    const head = Buffer.alloc(HEAD_BYTES);
    if (readSync(fd, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) throw new PageDamaged("The store's file has no head");
    this.pageBytes = head.readUInt32LE(48); // `checkStoreFile` has looked at it
    this.begins = new Uint8Array(this.pageBytes);
  }

  /**
   * A checked branch of the commit of `transaction`; do not change it. A branch cached for an earlier commit is valid if
   * the same transaction still is the page's writer.
   */
  branch(number: number, transaction: number, hasIntegerKeys: boolean): Page {
    const kept = this.branches.get(number);
    if (kept !== undefined && (kept.checkedFor === transaction || this.isOf(number, kept.transaction))) {
      kept.checkedFor = transaction;
      return kept;
    }
    const page = new Page(this);
    page.load(number, IS_BRANCH, hasIntegerKeys);
    page.checkedFor = transaction;
    this.branches.delete(number);
    this.branches.set(number, page);
    if (this.branches.size > KEPT_BRANCHES)
      for (const oldest of this.branches.keys()) {
        this.branches.delete(oldest);
        break;
      }
    return page;
  }

  /** A page buffer for leaves; the caller must return it. */
  takeLeaf(): Page {
    return this.leaves.pop() ?? new Page(this);
  }

  giveLeaf(page: Page): void {
    if (this.leaves.length < KEPT_LEAVES) this.leaves.push(page);
  }

  private isOf(number: number, transaction: number): boolean {
    const { fd, stamp, pageBytes } = this;
    if (readSync(fd, stamp, 0, stamp.length, number * pageBytes) < stamp.length) return false;
    return numberAt(stamp, 0) === number && numberAt(stamp, 8) === transaction;
  }
}

/**
 * The head of a commit; undefined when a newer one has overwritten it or it is damaged. Transaction n writes head n % 2.
 */
export function readHead(file: PageFile, transaction: number): PageHead | undefined {
  const head = readSomeHead(file, transaction % 2);
  return head?.transaction === transaction ? head : undefined;
}

/** The first or second head, of any commit; undefined when it is invalid. */
export function readSomeHead({ fd, pageBytes }: PageFile, place: number): PageHead | undefined {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES);
  if (readSync(fd, bytes, 0, HEAD_BYTES, place * pageBytes) < HEAD_BYTES) return undefined;
  if ((bytes.readUInt16LE(18) & IS_HEAD) === 0 || bytes.readUInt32LE(24) !== MAGIC) return undefined;
  const lastPage = numberAt(bytes, 144);
  return { free: treeAt(bytes, 48), main: treeAt(bytes, 96), lastPage, transaction: numberAt(bytes, 152) };
}

/**
 * True when the two heads' transaction numbers, in file order, are consecutive. Otherwise a damaged number could make
 * LMDB read the previous commit.
 */
export function areInTurn(first: number, second: number): boolean {
  if (first === 0 && second === 0) return true; // a new store
  return first % 2 === 0 && second % 2 === 1 && Math.abs(first - second) === 1;
}
