/**
 * Frequent itemsets: every set of products that at least `minSupportCount` baskets hold, with its exact count.
 *
 * FP-growth (Han, Pei, Yin: "Mining frequent patterns without candidate generation", SIGMOD 2000): baskets are merged
 * into a prefix tree, most frequent products first; for each product the paths that lead to it make a smaller tree, in
 * which the sets that contain the product are found the same way. Two passes over the baskets, no candidate sets.
 *
 * Different here: all trees lie in one stack of typed arrays, since a smaller tree is finished before its parent goes
 * on; the last product of a set of `maxLength` is counted from the paths without a tree. The recursion is as deep as
 * the longest set. The number of sets, and with it the time, can grow exponentially as `minSupportCount` falls; a
 * caller who needs a bound sets `maxLength` or stops in `visit`.
 */
import type { Rows } from "../../common/rows.js";

export interface ItemsetParams {
  /** Smallest number of baskets; a whole number from 1. A relative support s means ceil(s * number of baskets). */
  readonly minSupportCount: number;
  /** Largest number of products in a set; any when absent. */
  readonly maxLength?: number;
}

/**
 * Told of each set once, in no order a caller may rely on. `items[0 .. length)` are its products, unsorted, valid only
 * during the call. Giving false stops the search.
 */
export type VisitItemset = (items: Uint32Array, length: number, count: number) => boolean;

/** Gives every frequent itemset to `visit`. True when the search ended by itself, false when `visit` stopped it. */
export function visitFrequentItemsets(
  baskets: Rows,
  productCount: number,
  params: ItemsetParams,
  visit: VisitItemset,
): boolean {
  const { minSupportCount, maxLength = Number.POSITIVE_INFINITY } = params;
  if (!Number.isInteger(minSupportCount) || minSupportCount < 1) {
    throw new RangeError("minSupportCount must be a whole number from 1");
  }
  if (maxLength < 1) return true;
  const { ranked, counts } = rankProducts(baskets, productCount, minSupportCount);
  const trees = new TreeStack(ranked.length);
  const root = trees.level(0);
  for (let rank = 0; rank < ranked.length; rank++) root.count(rank, counts[ranked[rank]!]!);
  insertBaskets(trees, baskets, productCount, ranked);

  const set = new Uint32Array(Math.min(maxLength, ranked.length));
  const grow = (depth: number): boolean => {
    const { ranks, counts: here } = trees.level(depth);
    for (const rank of ranks) {
      const count = here[rank]!;
      if (count < minSupportCount) continue;
      set[depth] = ranked[rank]!;
      if (!visit(set, depth + 1, count)) return false;
      if (depth + 1 >= maxLength) continue;
      const top = trees.open(depth, rank, minSupportCount, depth + 2 < maxLength);
      const finished = grow(depth + 1);
      trees.close(depth + 1, top);
      if (!finished) return false;
    }
    return true;
  };
  return grow(0);
}

/** Frequent products, most frequent first, equal ones by index; and the count of every product, once a basket. */
function rankProducts(baskets: Rows, productCount: number, minCount: number) {
  const counts = new Uint32Array(productCount);
  const lastRow = new Int32Array(productCount).fill(-1);
  const { offsets, items } = baskets;
  for (let r = 0; r < offsets.length - 1; r++) {
    for (let i = offsets[r]!; i < offsets[r + 1]!; i++) {
      const item = items[i]!;
      if (lastRow[item] === r) continue;
      lastRow[item] = r;
      counts[item]!++;
    }
  }
  const ranked: number[] = [];
  for (let p = 0; p < productCount; p++) if (counts[p]! >= minCount) ranked.push(p);
  ranked.sort((a, b) => counts[b]! - counts[a]! || a - b);
  return { ranked: Uint32Array.from(ranked), counts };
}

function insertBaskets(trees: TreeStack, baskets: Rows, productCount: number, ranked: Uint32Array): void {
  const rankOf = new Int32Array(productCount).fill(-1);
  for (let rank = 0; rank < ranked.length; rank++) rankOf[ranked[rank]!] = rank;
  const { offsets, items } = baskets;
  for (let r = 0; r < offsets.length - 1; r++) {
    const path: number[] = [];
    for (let i = offsets[r]!; i < offsets[r + 1]!; i++) {
      const rank = rankOf[items[i]!]!;
      if (rank >= 0) path.push(rank);
    }
    path.sort((a, b) => a - b);
    const distinct = path.filter((rank, i) => i === 0 || rank !== path[i - 1]);
    trees.insert(0, distinct, distinct.length, 1);
  }
}

/** The products of one tree by rank: how many baskets, and the chain of nodes. */
class Level {
  /** Ranks met, in order of meeting. */
  readonly ranks: number[] = [];
  readonly counts: Uint32Array;
  /** First node of each rank's chain, -1 for none. */
  readonly heads: Int32Array;
  /** The root's child of each rank, -1 for none: the root is the one node with many children. */
  readonly rootChildren: Int32Array;

  constructor(rankCount: number) {
    this.counts = new Uint32Array(rankCount);
    this.heads = new Int32Array(rankCount).fill(-1);
    this.rootChildren = new Int32Array(rankCount).fill(-1);
  }

  count(rank: number, baskets: number): void {
    if (this.counts[rank] === 0) this.ranks.push(rank);
    this.counts[rank]! += baskets;
  }

  clear(): void {
    for (const rank of this.ranks) {
      this.counts[rank] = 0;
      this.heads[rank] = -1;
      this.rootChildren[rank] = -1;
    }
    this.ranks.length = 0;
  }
}

/** FP-trees, one a level; the nodes of deeper levels lie behind those of shallower ones. -1 stands for the root. */
class TreeStack {
  readonly #levels: Level[] = [];
  readonly #rankCount: number;
  #size = 0;
  #ranks = new Int32Array(1024);
  #counts = new Uint32Array(1024);
  #parents = new Int32Array(1024);
  #children = new Int32Array(1024);
  #siblings = new Int32Array(1024);
  /** Next node of the same rank in the same tree. */
  #links = new Int32Array(1024);

  constructor(rankCount: number) {
    this.#rankCount = rankCount;
  }

  level(depth: number): Level {
    this.#levels[depth] ??= new Level(this.#rankCount);
    return this.#levels[depth];
  }

  /** Adds `path[0 .. length)`, ranks ascending, to the tree of a level. */
  insert(depth: number, path: ArrayLike<number>, length: number, count: number): void {
    const level = this.level(depth);
    let node = -1;
    for (let i = 0; i < length; i++) {
      const rank = path[i]!;
      let child = node < 0 ? level.rootChildren[rank]! : this.#children[node]!;
      if (node >= 0) while (child >= 0 && this.#ranks[child] !== rank) child = this.#siblings[child]!;
      node = child >= 0 ? child : this.#add(level, node, rank);
      this.#counts[node]! += count;
    }
  }

  /**
   * Makes level `depth + 1` out of the paths that lead to `rank` at `depth`: its counts and, when `withTree`, the tree
   * of its frequent ranks. Gives the mark to close it with.
   */
  open(depth: number, rank: number, minCount: number, withTree: boolean): number {
    const top = this.#size;
    const next = this.level(depth + 1);
    const head = this.level(depth).heads[rank]!;
    for (let node = head; node >= 0; node = this.#links[node]!) {
      const count = this.#counts[node]!;
      for (let up = this.#parents[node]!; up >= 0; up = this.#parents[up]!) next.count(this.#ranks[up]!, count);
    }
    if (!withTree || !next.ranks.some((r) => next.counts[r]! >= minCount)) return top;
    const path = new Int32Array(rank);
    for (let node = head; node >= 0; node = this.#links[node]!) {
      let start = rank;
      for (let up = this.#parents[node]!; up >= 0; up = this.#parents[up]!) {
        if (next.counts[this.#ranks[up]!]! >= minCount) path[--start] = this.#ranks[up]!;
      }
      if (start < rank) this.insert(depth + 1, path.subarray(start), rank - start, this.#counts[node]!);
    }
    return top;
  }

  close(depth: number, top: number): void {
    this.level(depth).clear();
    this.#size = top;
  }

  #add(level: Level, parent: number, rank: number): number {
    if (this.#size === this.#ranks.length) this.#enlarge();
    const node = this.#size++;
    this.#ranks[node] = rank;
    this.#counts[node] = 0;
    this.#parents[node] = parent;
    this.#children[node] = -1;
    this.#siblings[node] = -1;
    if (parent < 0) level.rootChildren[rank] = node;
    else {
      this.#siblings[node] = this.#children[parent]!;
      this.#children[parent] = node;
    }
    this.#links[node] = level.heads[rank]!;
    level.heads[rank] = node;
    return node;
  }

  #enlarge(): void {
    const size = this.#ranks.length * 2;
    const enlarged = (from: Int32Array) => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    this.#ranks = enlarged(this.#ranks);
    this.#parents = enlarged(this.#parents);
    this.#children = enlarged(this.#children);
    this.#siblings = enlarged(this.#siblings);
    this.#links = enlarged(this.#links);
    const counts = new Uint32Array(size);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}
