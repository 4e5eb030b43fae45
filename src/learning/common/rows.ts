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
