import { readSync } from "node:fs";
import { checkBytes } from "../codec.js";
import { FIRST, type Key, LAST } from "../keys.js";
import { nodeBytes, storedValue } from "./page.js";
import type { PageFile } from "./page-file.js";
import { NO_PAGE, NODE_HEADER_BYTES, numberAt, PAGE_HEADER_BYTES, TREE, type Tree, treeAt } from "./page-layout.js";

/** Something between these two keys could not be read. */
export interface LostPart {
  readonly after: Key;
  readonly before: Key;
}

/** A node of a page that may be damaged. */
interface Node {
  readonly start: number;
  readonly key: Key;
}

const NAME_END = "\0";

/**
 * Reads the sound entries of a damaged tree. An entry is sound when its checksum, which covers its key, is right, and its
 * key lies between the keys of the pages above. That excludes pages of older commits. It finds nodes both by the offsets
 * in the page's header and by walking from one node to the next.
 */
export class TreeSalvage {
  taken = 0;
  readonly parts: LostPart[] = [];
  private readonly seen = new Set<number>();

  constructor(
    private readonly file: PageFile,
    private readonly take: (key: Key, value: Uint8Array) => void,
  ) {}

  /** All that `tree` leads to, of pages that are not newer than `transaction`. */
  read(tree: Tree, transaction: number): void {
    if (tree.root === NO_PAGE || tree.entries === 0) return;
    this.visit(tree.root, tree.depth, transaction, FIRST, LAST);
  }

  private visit(number: number, height: number, newest: number, from: Key, to: Key): void {
    const bytes = this.page(number);
    const transaction = bytes === undefined ? Number.POSITIVE_INFINITY : numberAt(bytes, 8);
    if (bytes === undefined || this.seen.has(number) || !(transaction <= newest) || height < 1) {
      this.parts.push({ after: from, before: to });
      return;
    }
    this.seen.add(number);
    if (height === 1) this.visitLeaf(bytes, from, to);
    else this.visitBranch(bytes, height, transaction, from, to);
  }

  private visitBranch(bytes: Buffer, height: number, transaction: number, from: Key, to: Key): void {
    const { nodes, isWhole } = nodesOf(bytes, false);
    nodes.forEach(({ start, key }, i) => {
      const child = bytes.readUInt32LE(start) + bytes.readUInt16LE(start + 4) * 0x1_0000_0000;
      // Where a key of the branch may be wrong, an entry counts by the borders of the branch.
      const low = isWhole && i > 0 ? key : from;
      const high = isWhole ? (nodes[i + 1]?.key ?? to) : to;
      this.visit(child, height - 1, transaction, low, high);
    });
    if (!isWhole) this.parts.push({ after: from, before: to });
  }

  private visitLeaf(bytes: Buffer, from: Key, to: Key): void {
    const { nodes, isWhole } = nodesOf(bytes, true);
    let last = from;
    let isLost = !isWhole;
    for (const { start, key } of nodes) {
      const value = key >= from && key < to ? this.soundValue(bytes, start, key) : undefined;
      if (value === undefined) {
        isLost = true;
        continue;
      }
      if (isLost && isWhole) {
        this.parts.push({ after: last, before: key });
        isLost = false;
      }
      this.taken++;
      this.take(key, value);
      last = key;
    }
    if (isLost) this.parts.push({ after: isWhole ? last : from, before: to });
  }

  private soundValue(bytes: Buffer, start: number, key: Key): Uint8Array | undefined {
    try {
      const value = storedValue(this.file, bytes, start);
      checkBytes(key, value, value.length);
      return value;
    } catch {
      return undefined; // it is listed as lost
    }
  }

  private page(number: number): Buffer | undefined {
    const { fd, pageBytes } = this.file;
    if (!(number >= 2) || !Number.isSafeInteger(number * pageBytes)) return undefined;
    const bytes = Buffer.alloc(pageBytes);
    return readSync(fd, bytes, 0, pageBytes, number * pageBytes) === pageBytes ? bytes : undefined;
  }
}

/** The trees of the tables that the main tree of a commit leads to, by name. */
export function salvageTrees(file: PageFile, main: Tree): Map<string, Tree> {
  const trees = new Map<string, Tree>();
  const visit = (number: number, height: number): void => {
    const bytes = Buffer.alloc(file.pageBytes);
    if (!(number >= 2) || height < 1 || height > 4) return;
    if (readSync(file.fd, bytes, 0, bytes.length, number * file.pageBytes) < bytes.length) return;
    for (const { start, key } of nodesOf(bytes, height === 1).nodes) {
      if (height > 1) visit(bytes.readUInt32LE(start), height - 1);
      else if (bytes.readUInt16LE(start + 4) === TREE && key.endsWith(NAME_END)) {
        trees.set(key.slice(0, -NAME_END.length), treeAt(storedValue(file, bytes, start), 0));
      }
    }
  };
  visit(main.root, main.depth);
  return trees;
}

/** The nodes of a page in order of keys. `isWhole`: the places in the header and the nodes that lie there agree. */
function nodesOf(bytes: Buffer, isLeaf: boolean): { readonly nodes: readonly Node[]; readonly isWhole: boolean } {
  const lower = PAGE_HEADER_BYTES + bytes.readUInt16LE(20);
  const upper = PAGE_HEADER_BYTES + bytes.readUInt16LE(22);
  const listed = new Set<number>();
  for (let at = PAGE_HEADER_BYTES; at + 2 <= Math.min(lower, bytes.length); at += 2) {
    listed.add(PAGE_HEADER_BYTES + bytes.readUInt16LE(at));
  }
  const lying = new Set<number>();
  let at = upper;
  while (isNode(bytes, at, isLeaf)) {
    lying.add(at);
    at += nodeBytes(bytes, at, isLeaf);
  }
  const isWhole = at === bytes.length && listed.size === lying.size && [...listed].every((start) => lying.has(start));
  const starts = [...new Set([...listed, ...lying])].filter((start) => isNode(bytes, start, isLeaf));
  const nodes = starts.map((start) => ({ start, key: keyAt(bytes, start) }));
  if (isWhole) {
    const order = [...listed];
    nodes.sort((a, b) => order.indexOf(a.start) - order.indexOf(b.start));
  } else nodes.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { nodes, isWhole };
}

function isNode(bytes: Buffer, start: number, isLeaf: boolean): boolean {
  if (start < PAGE_HEADER_BYTES || start + NODE_HEADER_BYTES > bytes.length) return false;
  return start + nodeBytes(bytes, start, isLeaf) <= bytes.length;
}

function keyAt(bytes: Buffer, start: number): Key {
  const at = start + NODE_HEADER_BYTES;
  return bytes.toString("utf8", at, at + bytes.readUInt16LE(start + 6));
}
