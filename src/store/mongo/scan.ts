import { after, keysOf } from "../keys.js";
import type { Entry, Table } from "./table.js";

/** Rows read at a time. */
const SCAN_ROWS = 5000;

/** The entries of an app in batches, in order of keys. */
export async function* scanEntries<T>(table: Table<T>, appId: string): AsyncGenerator<readonly Entry<T>[]> {
  let { start, end } = keysOf(appId);
  for (;;) {
    const entries = await table.entries({ start, end, limit: SCAN_ROWS });
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    if (entries.length < SCAN_ROWS) return;
    start = after(last.key);
  }
}

/** The values of an app in batches, in order of keys. */
export async function* scanValues<T>(table: Table<T>, appId: string): AsyncGenerator<readonly T[]> {
  for await (const entries of scanEntries(table, appId)) yield entries.map((entry) => entry.value);
}
