import { checkBytes } from "../codec.js";
import { after, type Key } from "../keys.js";
import type { Page } from "./page.js";
import { PageCursor } from "./page-cursor.js";
import type { PageFile } from "./page-file.js";
import { damaged, PageDamaged, type PageHead, TREE, type Tree, treeAt } from "./page-layout.js";

export interface Range {
  readonly start: Key;
  readonly end: Key;
  readonly limit?: number;
}

/** An entry as it is stored. The bytes may change when the next one is asked for. */
export interface StoredEntry {
  readonly key: Key;
  readonly value: Uint8Array;
}

/**
 * The tables of one commit, read from the file's pages. The caller must hold an LMDB read transaction that is not newer
 * than the commit, otherwise LMDB may reuse the pages.
 */
export class PageView {
  private readonly trees = new Map<string, Tree>();

  constructor(
    readonly file: PageFile,
    readonly head: PageHead,
  ) {}

  /** The trees of all tables, by name. */
  names(): ReadonlyMap<string, Tree> {
    const found = new Map<string, Tree>();
    const cursor = this.cursor(this.head.main);
    for (let isThere = cursor.first(); isThere; isThere = cursor.next()) {
      found.set(cursor.leaf.key(cursor.index).slice(0, -NAME_END.length), treeUnder(cursor));
    }
    return found;
  }

  tree(name: string): Tree {
    let tree = this.trees.get(name);
    if (tree === undefined) {
      const cursor = this.cursor(this.head.main);
      const isThere = cursor.seek(Buffer.from(name + NAME_END)) && cursor.leaf.key(cursor.index) === name + NAME_END;
      if (!isThere) throw damaged("has lost a table");
      tree = treeUnder(cursor);
      this.trees.set(name, tree);
    }
    return tree;
  }

  cursor(tree: Tree): PageCursor {
    return new PageCursor(this.file, tree, this.head.transaction);
  }

  /**
   * The entries from `start` (included) to `end` (excluded); with `reverse` from the last down. The entries next to the
   * range are checked too, since an entry with a damaged key may seem to lie there. The entry with the very key from which
   * the caller continues is not checked, so that a listing can get past a damaged entry.
   */
  *entries(
    name: string,
    { start, end, limit = Number.POSITIVE_INFINITY }: Range,
    reverse = false,
  ): Generator<StoredEntry> {
    const tree = this.tree(name);
    if (tree.depth === 0 || limit === 0) return;
    const cursor = this.cursor(tree);
    const bound = Buffer.from(reverse ? start : end);
    try {
      let isThere = this.begin(cursor, tree, reverse ? end : start, reverse);
      for (let left = limit; isThere; isThere = reverse ? cursor.previous() : cursor.next()) {
        const { leaf, index } = cursor;
        const order = leaf.orderOf(index, bound);
        if (reverse ? order < 0 : order >= 0) return checkEntry(leaf, index);
        yield { key: leaf.key(index), value: leaf.value(index) };
        if (--left === 0) return;
      }
    } finally {
      cursor.end();
    }
  }

  /** Moves to the first entry of a range and checks its neighbour. False when the range is empty. */
  private begin(cursor: PageCursor, tree: Tree, from: Key, reverse: boolean): boolean {
    const bytes = Buffer.from(from);
    const isThere = cursor.seek(bytes);
    if (reverse) {
      if (isThere && cursor.leaf.orderOf(cursor.index, bytes) !== 0) checkEntry(cursor.leaf, cursor.index);
      return cursor.previous();
    }
    if (cursor.index > 0) checkBefore(cursor.leaf, cursor.index - 1, from);
    else {
      const before = this.cursor(tree);
      before.seek(bytes);
      if (before.previous()) checkBefore(before.leaf, before.index, from);
      before.end();
    }
    return isThere;
  }

  /**
   * All entries of a table. Throws PageDamaged at the end when the number of entries or pages differs from LMDB's count.
   */
  *all(name: string): Generator<StoredEntry> {
    const tree = this.tree(name);
    const met = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    const cursor = new PageCursor(this.file, tree, this.head.transaction, ({ isLeaf }) => {
      if (isLeaf) met.leafPages++;
      else met.branchPages++;
    });
    for (let isThere = cursor.first(); isThere; isThere = cursor.next()) {
      const { leaf, index } = cursor;
      met.entries++;
      met.overflowPages += leaf.largePages(index);
      yield { key: leaf.key(index), value: leaf.value(index) };
    }
    const isWhole =
      met.entries === tree.entries &&
      met.leafPages === tree.leafPages &&
      met.branchPages === tree.branchPages &&
      met.overflowPages === tree.overflowPages;
    if (!isWhole) throw new PageDamaged(`The table ${name} holds ${met.entries} of ${tree.entries} entries`);
  }

  /** Throws DataDamaged when any table is damaged. */
  *check(): Generator<void> {
    for (const name of this.names().keys()) {
      let n = 0;
      for (const { key, value } of this.all(name)) {
        checkBytes(key, value, value.length);
        if (++n % CHECKED_AT_ONCE === 0) yield;
      }
    }
  }
}

/** Behind the name of each table, as lmdb-js gives it to LMDB. */
const NAME_END = "\0";

/** Entries between two turns of other work: some milliseconds. */
const CHECKED_AT_ONCE = 1000;

function checkEntry(leaf: Page, index: number): void {
  const value = leaf.value(index);
  checkBytes(leaf.key(index), value, value.length);
}

function checkBefore(leaf: Page, index: number, start: Key): void {
  if (start !== after(leaf.key(index))) checkEntry(leaf, index);
}

function treeUnder(cursor: PageCursor): Tree {
  const leaf = cursor.leaf;
  if (leaf.kindOf(cursor.index) !== TREE) throw damaged("holds something else than tables");
  const tree = treeAt(leaf.value(cursor.index), 0);
  if (tree.flags !== 0) throw damaged("has a table of another kind");
  return tree;
}
