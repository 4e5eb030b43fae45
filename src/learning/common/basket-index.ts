/**
 * Prepares baskets for counting. Counting pairs takes the square of a basket's length: 200 products give 39,800 ordered
 * pairs. So a longer basket, usually of a wholesaler or a robot, is cut at its first `maxLength` products.
 */
import { type Rows, rowCount } from "./rows.js";

/** Each basket's first `maxLength` different products. Throws RangeError for a product index past the catalogue. */
export function distinctBaskets(baskets: Rows, productCount: number, maxLength: number): Rows {
  const { offsets: from, items: all } = baskets;
  const lastRow = new Int32Array(productCount).fill(-1);
  const offsets = new Uint32Array(from.length);
  const items = new Uint32Array(all.length);
  let size = 0;
  for (let r = 0; r < rowCount(baskets); r++) {
    const start = size;
    for (let i = from[r]!; i < from[r + 1]! && size - start < maxLength; i++) {
      const item = all[i]!;
      if (item >= productCount) throw new RangeError("baskets hold a product index past productCount");
      if (lastRow[item] === r) continue;
      lastRow[item] = r;
      items[size++] = item;
    }
    offsets[r + 1] = size;
  }
  return { offsets, items: items.slice(0, size) };
}

/** Row p: the baskets that hold product p, ascending. Baskets must be distinct. */
export function basketsByProduct(baskets: Rows, productCount: number): Rows {
  const offsets = new Uint32Array(productCount + 1);
  for (const item of baskets.items) offsets[item + 1]!++;
  for (let p = 0; p < productCount; p++) offsets[p + 1]! += offsets[p]!;
  const next = offsets.slice();
  const items = new Uint32Array(baskets.items.length);
  for (let r = 0; r < rowCount(baskets); r++) {
    for (let i = baskets.offsets[r]!; i < baskets.offsets[r + 1]!; i++) items[next[baskets.items[i]!]!++] = r;
  }
  return { offsets, items };
}
