import { type Rows, rowCount } from "./rows.js";

/** Where each product stands in rows. */
export interface Places {
  /** Product p stands at the places `places[offsets[p]]` up to, not including, `places[offsets[p + 1]]`, rising. */
  readonly offsets: Uint32Array;
  readonly places: Uint32Array;
  /** Row of each place. */
  readonly rowOf: Uint32Array;
}

/** Throws RangeError for an item out of range. */
export function placesOf({ offsets, items }: Rows, productCount: number): Places {
  const placeOffsets = new Uint32Array(productCount + 1);
  for (const item of items) {
    if (item >= productCount) throw new RangeError("sessions hold an item out of range");
    placeOffsets[item + 1]!++;
  }
  for (let p = 0; p < productCount; p++) placeOffsets[p + 1]! += placeOffsets[p]!;
  const next = placeOffsets.slice(0, productCount);
  const places = new Uint32Array(items.length);
  const rowOf = new Uint32Array(items.length);
  for (let row = 0; row < rowCount({ offsets, items }); row++) {
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) {
      places[next[items[at]!]!++] = at;
      rowOf[at] = row;
    }
  }
  return { offsets: placeOffsets, places, rowOf };
}
