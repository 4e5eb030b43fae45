import type { Database, RootDatabase } from "lmdb";
import { DomainError, Unavailable } from "../../domain/errors.js";
import type { Key } from "./keys.js";
import { numberRecord } from "./records/app.js";
import { Table, type TableContext } from "./table.js";

/**
 * The number of the layout of keys and values. It grows when an older Aisle could not read what a newer one writes;
 * each step then gets its upgrade here, run once under the write lock before the store is used.
 */
export const FORMAT_NUMBER = 1;

const FORMAT_KEY: Key = "store\0format";

/** The directory holds a store that this version of Aisle cannot read. */
export class FormatUnsupported extends DomainError {}

/** Writes the format number of a new store; refuses a newer one. */
export function checkFormat(
  meta: Database<Uint8Array, Key>,
  root: RootDatabase<Uint8Array, Key>,
  readOnly: boolean,
  context: TableContext,
): void {
  const table = new Table("meta", meta, numberRecord, context);
  const found = table.get(FORMAT_KEY);
  if (found === FORMAT_NUMBER) return;
  if (found === undefined) {
    if (readOnly) throw new Unavailable("The directory holds no complete store");
    root.transactionSync(() => table.putNow(FORMAT_KEY, table.encode(FORMAT_KEY, FORMAT_NUMBER)));
    return;
  }
  throw new FormatUnsupported(
    `The store has format ${found}; this version of Aisle reads format ${FORMAT_NUMBER}, use a newer version`,
  );
}
