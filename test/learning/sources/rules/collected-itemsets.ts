import { type Rows, rowCount } from "../../../../src/learning/common/rows.js";
import { type ItemsetParams, visitFrequentItemsets } from "../../../../src/learning/sources/rules/frequent-itemsets.js";

/** All frequent itemsets, as tests compare them. */
export interface Itemsets {
  readonly basketCount: number;
  /** One set a row, its products ascending; shorter sets first, then in order of their products. */
  readonly sets: Rows;
  /** Baskets that hold each set. */
  readonly counts: Uint32Array;
}

export function frequentItemsets(baskets: Rows, productCount: number, params: ItemsetParams): Itemsets {
  const found: { items: Uint32Array; count: number }[] = [];
  visitFrequentItemsets(baskets, productCount, params, (items, length, count) => {
    found.push({ items: items.slice(0, length).sort(), count });
    return true;
  });
  found.sort((a, b) => compareSets(a.items, b.items));
  const offsets = new Uint32Array(found.length + 1);
  for (const [i, set] of found.entries()) offsets[i + 1] = offsets[i]! + set.items.length;
  const items = new Uint32Array(offsets[found.length]!);
  for (const [i, set] of found.entries()) items.set(set.items, offsets[i]!);
  const counts = Uint32Array.from(found, (set) => set.count);
  return { basketCount: rowCount(baskets), sets: { offsets, items }, counts };
}

/** By length, then by products. */
function compareSets(a: Uint32Array, b: Uint32Array): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
