import { createHash } from "node:crypto";
import type { CopiedTable } from "../ports/copies.js";
import type { Store } from "../ports/store.js";
import { canonicalText } from "./canonical.js";
import { counts, rowsOf } from "./rows.js";

/** What a table of an app holds. */
export interface TableDigest {
  readonly rows: number;
  /** SHA-256 over keys and values in order of keys, in hex: the same in every store for the same rows. */
  readonly checksum: string;
}

/** Reads a table of an app from its beginning to its end. `onRows` may throw to end it. */
export async function digestTable(
  store: Store,
  appId: string,
  table: CopiedTable,
  claimedFrom: number,
  onRows: (rows: number) => void,
): Promise<TableDigest> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const row of rowsOf(store.copies, appId, table)) {
    if (!counts(row, claimedFrom)) continue;
    hash.update(canonicalText(row.key) + row.text);
    if (++rows % 1000 === 0) onRows(rows);
  }
  onRows(rows);
  return { rows, checksum: hash.digest("hex") };
}
