import { DataDamaged } from "../../domain/errors.js";
import { codecOf, interactionCodec, type RecordCodec } from "./codec.js";
import { FORMER_TABLES } from "./format.js";
import { type EmbeddedRecords, KINDS } from "./records.js";
import { Table } from "./table.js";

/** Every table of the store. Each key begins with an app id; records that exist once per app are under `appKey`. */
export type Tables = { readonly [N in keyof EmbeddedRecords]: Table<EmbeddedRecords[N]> };

/** Names of all tables of records. */
export const TABLE_NAMES: readonly string[] = [...Object.keys(KINDS), "interactions"];

export function openTables(open: <T>(name: string, codec: RecordCodec<T>) => Table<T>): Tables {
  const opened: Record<string, unknown> = { interactions: open("interactions", interactionCodec) };
  for (const [name, kind] of Object.entries(KINDS)) opened[name] = open(name, codecOf<unknown>(kind));
  if (!isWhole(opened)) throw new TypeError("A table is missing");
  return opened;
}

function isWhole(opened: Readonly<Record<string, unknown>>): opened is Tables {
  return TABLE_NAMES.every((name) => opened[name] instanceof Table);
}

/**
 * LMDB creates a table when it does not find its name, so a table with a damaged name would silently read as empty. `found`
 * are the tables that existed before opening, `known` are this version's tables. A store in the current format has them all.
 */
export function mustHaveItsTables(found: ReadonlySet<string>, known: Iterable<string>, isNewest: boolean): void {
  const names = new Set(known);
  for (const name of found) {
    if (!names.has(name) && (isNewest || !FORMER_TABLES.includes(name)))
      throw new DataDamaged("The store has a table of an unknown name");
  }
  for (const name of names) {
    if (isNewest && !found.has(name)) throw new DataDamaged(`The store has lost its table ${name}`);
  }
}
