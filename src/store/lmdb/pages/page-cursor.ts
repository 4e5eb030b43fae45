import type { Page } from "./page.js";
import type { PageFile } from "./page-file.js";
import { damaged, hasIntegerKeys, IS_LEAF, NO_PAGE, type Tree } from "./page-layout.js";

/** No tree is as deep. */
const MAX_DEPTH = 32;

/**
 * A position in a tree of pages. Each page on the path is checked by itself and against the pages above it: its keys must
 * lie between the keys that lead to it, and it must not be newer. This detects entries that a damaged page would hide.
 */
export class PageCursor {
  private readonly pages: Page[] = [];
  private readonly at: number[] = [];
  private readonly hasIntegerKeys: boolean;

  constructor(
    private readonly file: PageFile,
    private readonly tree: Tree,
    /** The commit that is read; no page of it is newer. */
    private readonly transaction: number,
    /** Told of each page that is met for the first time in a walk from the beginning. */
    private readonly onPage: (page: Page) => void = () => undefined,
  ) {
    this.hasIntegerKeys = hasIntegerKeys(tree);
    const isEmpty = tree.root === NO_PAGE && tree.depth === 0 && tree.entries === 0;
    if (!isEmpty && (tree.root === NO_PAGE || tree.depth < 1 || tree.depth > MAX_DEPTH)) {
      throw damaged("is no root of a tree");
    }
  }

  /** The leaf it stands in; an empty tree has none. */
  get leaf(): Page {
    return this.pages[this.tree.depth - 1]!;
  }

  /** The entry it stands at. */
  get index(): number {
    return this.at[this.tree.depth - 1]!;
  }

  /** Moves to the first entry with a key at or above `key`. False, and past the last entry, when there is no such key. */
  seek(key: Buffer): boolean {
    const { depth, root } = this.tree;
    if (depth === 0) return false;
    let number = root;
    for (let level = 0; level < depth; level++) {
      const page = this.load(level, number);
      const found = firstNotBelow(page, key);
      if (level === depth - 1) {
        this.at[level] = found;
        return found < page.count || this.nextLeaf();
      }
      const isHere = found < page.count && found > 0 && page.orderOf(found, key) === 0;
      this.at[level] = isHere ? found : Math.max(0, found - 1);
      number = page.child(this.at[level]!);
    }
    return false;
  }

  /** Goes to the first entry of all. */
  first(): boolean {
    if (this.tree.depth === 0) return false;
    this.descend(0, this.tree.root, false);
    return true;
  }

  /** Moves to the next entry. False, and past the last entry, at the end. */
  next(): boolean {
    const level = this.tree.depth - 1;
    this.at[level] = this.at[level]! + 1;
    return this.at[level]! < this.pages[level]!.count || this.nextLeaf();
  }

  /** Moves to the previous entry. False at the beginning; the cursor is then unusable. */
  previous(): boolean {
    const level = this.tree.depth - 1;
    this.at[level] = this.at[level]! - 1;
    return this.at[level]! >= 0 || this.previousLeaf();
  }

  nextLeaf(): boolean {
    for (let level = this.tree.depth - 2; level >= 0; level--) {
      const next = this.at[level]! + 1;
      if (next >= this.pages[level]!.count) continue;
      this.at[level] = next;
      this.descend(level + 1, this.pages[level]!.child(next), false);
      return true;
    }
    return false;
  }

  private previousLeaf(): boolean {
    for (let level = this.tree.depth - 2; level >= 0; level--) {
      const previous = this.at[level]! - 1;
      if (previous < 0) continue;
      this.at[level] = previous;
      this.descend(level + 1, this.pages[level]!.child(previous), true);
      return true;
    }
    return false;
  }

  private descend(from: number, number: number, isLast: boolean): void {
    let next = number;
    for (let level = from; level < this.tree.depth; level++) {
      const page = this.load(level, next);
      this.at[level] = isLast ? page.count - 1 : 0;
      if (level < this.tree.depth - 1) next = page.child(this.at[level]!);
    }
  }

  /** Call this when the cursor is no longer used. */
  end(): void {
    const leaf = this.pages.pop();
    if (leaf?.isLeaf === true) this.file.giveLeaf(leaf);
  }

  private load(level: number, number: number): Page {
    const isLeaf = level === this.tree.depth - 1;
    const page = isLeaf
      ? (this.pages[level] ?? this.file.takeLeaf())
      : this.file.branch(number, this.transaction, this.hasIntegerKeys);
    this.pages[level] = page;
    if (isLeaf) page.load(number, IS_LEAF, this.hasIntegerKeys);
    const newest = level === 0 ? this.transaction : this.pages[level - 1]!.transaction;
    if (page.transaction > newest) throw damaged("is newer than what leads to it");
    if (level === 0 && isLeaf && page.count !== this.tree.entries) throw damaged("has lost entries");
    this.checkBounds(level, page);
    this.onPage(page);
    return page;
  }

  private checkBounds(level: number, page: Page): void {
    const first = page.isLeaf ? 0 : 1; // the first key of a branch stands for all that are lower
    const last = page.count - 1;
    if (first > last) return;
    let isLow = true;
    let isHigh = true;
    for (let above = level - 1; above >= 0 && (isLow || isHigh); above--) {
      const leading = this.pages[above]!;
      const at = this.at[above]!;
      if (isLow && at > 0) {
        isLow = false;
        if (page.order(first, leading, at, this.hasIntegerKeys) < 0)
          throw damaged("has keys below those that lead to it");
      }
      if (isHigh && at + 1 < leading.count) {
        isHigh = false;
        if (page.order(last, leading, at + 1, this.hasIntegerKeys) >= 0) {
          throw damaged("has keys above those that lead to it");
        }
      }
    }
  }
}

/** The place of the first key that is not below `key`; the first key of a branch is below every other. */
function firstNotBelow(page: Page, key: Buffer): number {
  let low = page.isLeaf ? 0 : 1;
  let high = page.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (page.orderOf(middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
