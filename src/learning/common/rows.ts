/**
 * Rows of product indices in compressed form: row r is `items[offsets[r]]` up to, not including,
 * `items[offsets[r + 1]]`. Baskets and sessions are rows.
 */
export interface Rows {
  /** Length: number of rows + 1; begins with 0. */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

export function rowCount(rows: Rows): number {
  return rows.offsets.length - 1;
}

/** The items of row r, without a copy. */
export function rowOf(rows: Rows, r: number): Uint32Array {
  return rows.items.subarray(rows.offsets[r], rows.offsets[r + 1]);
}

/** The first `count` rows, without a copy. */
export function firstRows({ offsets, items }: Rows, count: number): Rows {
  return { offsets: offsets.subarray(0, count + 1), items: items.subarray(0, offsets[count]) };
}

/** At most `most` of the list, spread evenly over it. */
export function evenly<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]!);
}

/** Rows from lists, in their order. */
export function rowsFrom(lists: Iterable<Iterable<number>>): Rows {
  const offsets = [0];
  const items: number[] = [];
  for (const list of lists) {
    for (const item of list) items.push(item);
    offsets.push(items.length);
  }
  return { offsets: Uint32Array.from(offsets), items: Uint32Array.from(items) };
}

/** Where each item stands in a list: item p at the places `places[offsets[p]]` up to, not including, `places[offsets[p + 1]]`. */
export interface Places {
  readonly offsets: Uint32Array;
  /** Those of one item rise. */
  readonly places: Uint32Array;
}

/** The places of the items below `itemCount`; others are left out. */
export function placesOf(items: Uint32Array, itemCount: number): Places {
  const offsets = new Uint32Array(itemCount + 1);
  for (const item of items) if (item < itemCount) offsets[item + 1]!++;
  for (let p = 0; p < itemCount; p++) offsets[p + 1]! += offsets[p]!;
  const next = offsets.slice(0, itemCount);
  const places = new Uint32Array(offsets[itemCount]!);
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    if (item < itemCount) places[next[item]!++] = at;
  }
  return { offsets, places };
}

/** By place in `rows.items`, its row. */
export function rowOfPlaces(rows: Rows): Uint32Array {
  const rowOfPlace = new Uint32Array(rows.items.length);
  for (let r = 0; r < rowCount(rows); r++) rowOfPlace.fill(r, rows.offsets[r], rows.offsets[r + 1]);
  return rowOfPlace;
}

/**
 * Each basket's first `maxLength` different products. Counting pairs takes the square of a basket's length: 200 products
 * give 39,800 ordered pairs, and longer baskets are usually those of wholesalers or robots. Throws RangeError for a
 * product index past the catalogue.
 */
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
  const { offsets, places } = placesOf(baskets.items, productCount);
  const basketOf = rowOfPlaces(baskets);
  return { offsets, items: places.map((place) => basketOf[place]!) };
}
