import { DataDamaged } from "../../../domain/errors.js";

/**
 * The pages of LMDB's file, read and checked by ourselves. LMDB trusts its pages: one flipped byte in the header of a
 * page or in a key of a branch makes it skip entries without an error. It keeps no checksums, but a sound page has
 * little freedom, and `Page.load` checks all of it: the nodes fill the page from `upper` to its end without a gap or an
 * overlap, and their keys rise. Keys and values of entries have a checksum (`codec.ts`); these checks cover the rest.
 *
 * Offsets are those of `MDB_page`, `MDB_node`, `MDB_db` and `MDB_meta` in lmdb-js's
 * `dependencies/lmdb/libraries/liblmdb/mdb.c`. Places within a page are counted from behind its header (`PAGEBASE`).
 */
export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;
export const HEAD_BYTES = 168;
export const IS_BRANCH = 1;
export const IS_LEAF = 2;
export const IS_OVERFLOW = 4;
export const IS_HEAD = 8;
export const MAGIC = 0xbeefc0de;
/** Kinds of nodes in a leaf: the value stands on pages of its own; the value is the record of another tree. */
export const LARGE = 1;
export const TREE = 2;
/** The root of an empty tree. */
export const NO_PAGE = -1;
/** `MDB_INTEGERKEY`: the keys of the tree of free pages are 64-bit numbers. */
const INTEGER_KEYS = 8;
export const TREE_RECORD_BYTES = 48;
export const LARGE_RECORD_BYTES = 24;

/** A page, or the way to it, is not as LMDB writes it. */
export class PageDamaged extends DataDamaged {}

/** What LMDB knows of one tree: `MDB_db`. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  readonly root: number;
}

/** One commit: `MDB_meta`. */
export interface PageHead {
  readonly transaction: number;
  readonly lastPage: number;
  readonly free: Tree;
  readonly main: Tree;
}

export function treeAt(bytes: Buffer, at: number): Tree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: numberAt(bytes, at + 8),
    leafPages: numberAt(bytes, at + 16),
    overflowPages: numberAt(bytes, at + 24),
    entries: numberAt(bytes, at + 32),
    root: numberAt(bytes, at + 40),
  };
}

/** NO_PAGE for a number that stands for none; what no file has is caught where it is used. */
export function numberAt(bytes: Buffer, at: number): number {
  const low = bytes.readUInt32LE(at);
  const high = bytes.readUInt32LE(at + 4);
  return low === 0xffffffff && high === 0xffffffff ? NO_PAGE : high * 0x1_0000_0000 + low;
}

export function hasIntegerKeys({ flags }: Tree): boolean {
  return (flags & INTEGER_KEYS) !== 0;
}

export function damaged(what: string): PageDamaged {
  return new PageDamaged(`A page of the store's file ${what}`);
}
