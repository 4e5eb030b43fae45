import { readSync } from "node:fs";
import type { PageFile } from "./page-file.js";
import {
  damaged,
  IS_LEAF,
  IS_OVERFLOW,
  LARGE,
  LARGE_RECORD_BYTES,
  NO_PAGE,
  NODE_HEADER_BYTES,
  numberAt,
  PAGE_HEADER_BYTES,
  TREE,
  TREE_RECORD_BYTES,
} from "./page-layout.js";

/** A branch or leaf in memory; loading another one replaces it. */
export class Page {
  number = NO_PAGE;
  /** The transaction that wrote it. */
  transaction = 0;
  /** The commit for which it was last found to be sound. */
  checkedFor = 0;
  isLeaf = false;
  count = 0;
  readonly bytes: Buffer;
  private readonly starts: Uint16Array;

  constructor(private readonly file: PageFile) {
    this.bytes = Buffer.allocUnsafeSlow(file.pageBytes);
    this.starts = new Uint16Array(file.pageBytes / 2);
  }

  /** Throws PageDamaged when the page is not what `kind` says or not whole. */
  load(number: number, kind: number, hasIntegerKeys: boolean): void {
    this.read(number);
    const { bytes } = this;
    if (bytes.readUInt16LE(18) !== kind) throw damaged("is of another kind than its tree says");
    this.isLeaf = kind === IS_LEAF;
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22) + PAGE_HEADER_BYTES;
    if ((lower & 1) === 1 || lower === 0 || PAGE_HEADER_BYTES + lower > upper || upper > bytes.length) {
      throw damaged("has a header that does not fit");
    }
    this.count = lower >>> 1;
    this.checkNodes(upper);
    this.checkOrder(hasIntegerKeys);
  }

  /** Reads a page that may be damaged. */
  read(number: number): void {
    const { bytes, file } = this;
    if (!(number >= 2) || !Number.isSafeInteger(number * file.pageBytes)) throw damaged("is none");
    if (readSync(file.fd, bytes, 0, bytes.length, number * file.pageBytes) < bytes.length)
      throw damaged("is not there");
    this.number = number;
    if (numberAt(bytes, 0) !== number) throw damaged("is another one");
    this.transaction = numberAt(bytes, 8);
  }

  /** The nodes lie from `upper` to the end of the page, one after the other in any order. */
  private checkNodes(upper: number): void {
    const { bytes, starts, count } = this;
    const { begins } = this.file;
    let sum = 0;
    let fault = "";
    for (let i = 0; i < count; i++) {
      const start =
        PAGE_HEADER_BYTES + (bytes[PAGE_HEADER_BYTES + 2 * i]! | (bytes[PAGE_HEADER_BYTES + 2 * i + 1]! << 8));
      starts[i] = start;
      if (start < upper || start + NODE_HEADER_BYTES > bytes.length || begins[start] === 1) {
        fault = "has a node outside of it";
        starts[i] = 0;
        continue;
      }
      begins[start] = 1;
      sum += nodeBytes(bytes, start, this.isLeaf);
    }
    if (fault === "" && sum !== bytes.length - upper) fault = "has nodes that do not fill it";
    for (let i = 0; i < count && fault === ""; i++) {
      const end = starts[i]! + nodeBytes(bytes, starts[i]!, this.isLeaf);
      if (end !== bytes.length && begins[end] !== 1) fault = "has nodes that overlap";
    }
    for (let i = 0; i < count; i++) begins[starts[i]!] = 0;
    if (fault !== "") throw damaged(fault);
  }

  /** The keys rise. The first one of a branch stands for all that are lower. */
  private checkOrder(hasIntegerKeys: boolean): void {
    const { bytes, starts, count } = this;
    let start = 0;
    let end = 0;
    for (let i = this.isLeaf ? 0 : 1; i < count; i++) {
      const lowerStart = start;
      const lowerEnd = end;
      const node = starts[i]!;
      start = node + NODE_HEADER_BYTES;
      end = start + (bytes[node + 6]! | (bytes[node + 7]! << 8));
      if (lowerEnd === 0) continue;
      const order = hasIntegerKeys
        ? numberAt(bytes, lowerStart) - numberAt(bytes, start)
        : compareBytes(bytes, lowerStart, lowerEnd, bytes, start, end);
      if (order >= 0) throw damaged("has keys that do not rise");
    }
  }

  keyStart(i: number): number {
    return this.starts[i]! + NODE_HEADER_BYTES;
  }

  keyEnd(i: number): number {
    return this.keyStart(i) + this.bytes.readUInt16LE(this.starts[i]! + 6);
  }

  key(i: number): string {
    return this.bytes.toString("utf8", this.keyStart(i), this.keyEnd(i));
  }

  child(i: number): number {
    const at = this.starts[i]!;
    return this.bytes.readUInt32LE(at) + this.bytes.readUInt16LE(at + 4) * 0x1_0000_0000;
  }

  /** Of a leaf: LARGE, TREE or neither. */
  kindOf(i: number): number {
    return this.bytes.readUInt16LE(this.starts[i]! + 4);
  }

  /** The value of an entry of a leaf; for `large` the bytes are read from its own pages. */
  value(i: number): Buffer {
    return storedValue(this.file, this.bytes, this.starts[i]!);
  }

  /** How many pages a large value takes; 0 for others. */
  largePages(i: number): number {
    return this.kindOf(i) === LARGE ? largeValueAt(this.bytes, this.starts[i]!).pages : 0;
  }

  /** Below 0 when key `i` comes before key `j` of the other page, above 0 when after it. */
  order(i: number, other: Page, j: number, hasIntegerKeys: boolean): number {
    if (hasIntegerKeys) return numberAt(this.bytes, this.keyStart(i)) - numberAt(other.bytes, other.keyStart(j));
    return compareBytes(this.bytes, this.keyStart(i), this.keyEnd(i), other.bytes, other.keyStart(j), other.keyEnd(j));
  }

  orderOf(i: number, key: Buffer): number {
    return compareBytes(this.bytes, this.keyStart(i), this.keyEnd(i), key, 0, key.length);
  }
}

/** The pages a large value takes, by the record that stands in its place. */
function largeValueAt(bytes: Buffer, start: number): { readonly page: number; readonly pages: number } {
  const at = start + NODE_HEADER_BYTES + bytes.readUInt16LE(start + 6);
  return { page: numberAt(bytes, at), pages: numberAt(bytes, at + 16) };
}

/** The value of the node of a leaf that begins at `start`. */
export function storedValue(file: PageFile, bytes: Buffer, start: number): Buffer {
  const size = bytes.readUInt32LE(start);
  const kind = bytes.readUInt16LE(start + 4);
  const at = start + NODE_HEADER_BYTES + bytes.readUInt16LE(start + 6);
  if (kind !== LARGE) return bytes.subarray(at, at + size);
  const { page, pages } = largeValueAt(bytes, start);
  if (!(page >= 2) || pages !== Math.floor((PAGE_HEADER_BYTES - 1 + size) / file.pageBytes) + 1) {
    throw damaged("has a large value that does not fit");
  }
  const large = Buffer.allocUnsafe(PAGE_HEADER_BYTES + size);
  if (readSync(file.fd, large, 0, large.length, page * file.pageBytes) < large.length) throw damaged("is not there");
  if (numberAt(large, 0) !== page || (large.readUInt16LE(18) & IS_OVERFLOW) === 0) throw damaged("is another one");
  return large.subarray(PAGE_HEADER_BYTES);
}

/** Bytes of a node with its header, as LMDB rounds them. */
export function nodeBytes(bytes: Buffer, start: number, isLeaf: boolean): number {
  const key = bytes[start + 6]! | (bytes[start + 7]! << 8);
  if (!isLeaf) return (NODE_HEADER_BYTES + key + 1) & ~1;
  const kind = bytes[start + 4]! | (bytes[start + 5]! << 8);
  const size = kind === LARGE ? LARGE_RECORD_BYTES : bytes.readUInt32LE(start);
  if (kind !== 0 && kind !== LARGE && !(kind === TREE && size === TREE_RECORD_BYTES)) return bytes.length + 1;
  return size > bytes.length ? bytes.length + 1 : (NODE_HEADER_BYTES + key + size + 1) & ~1;
}

/** In JavaScript: a native call costs more than comparing the few bytes by which neighbouring keys differ. */
function compareBytes(a: Buffer, aStart: number, aEnd: number, b: Buffer, bStart: number, bEnd: number): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}
