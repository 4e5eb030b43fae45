import { setImmediate } from "node:timers/promises";
import { after, type Key } from "./keys.js";
import type { Table } from "./table.js";

/** Rows read at a time: some ten milliseconds of work, and no read transaction held while the reader is busy. */
export const SCAN_ROWS = 5000;

/** The values of a range in batches, in order of keys; other work gets its turn between two batches. */
export async function* scanValues<T>(table: Table<T>, start: Key, end: Key): AsyncGenerator<readonly T[]> {
  let from = start;
  for (;;) {
    const entries = table.entries({ start: from, end, limit: SCAN_ROWS });
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries.map((entry) => entry.value);
    if (entries.length < SCAN_ROWS) return;
    from = after(last.key);
    await setImmediate();
  }
}
