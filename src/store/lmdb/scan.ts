import { setImmediate } from "node:timers/promises";
import { after, keysOf } from "./keys.js";
import type { Table } from "./table.js";

/** Rows per batch: a few milliseconds of work, including the reader's. No read transaction stays open between batches. */
export const SCAN_ROWS = 500;

/** The values of an app in batches, in order of keys; other work gets its turn between two batches. */
export async function* scanValues<T>(table: Table<T>, appId: string): AsyncGenerator<readonly T[]> {
  let { start, end } = keysOf(appId);
  for (;;) {
    const entries = table.entries({ start, end, limit: SCAN_ROWS });
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries.map((entry) => entry.value);
    if (entries.length < SCAN_ROWS) return;
    start = after(last.key);
    await setImmediate();
  }
}
