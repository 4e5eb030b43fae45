import type { RecordCodec } from "./codec.js";
import { codecOf, interactionCodec } from "./codec.js";
import { type EmbeddedRecords, KINDS } from "./records.js";
import { Table } from "./table.js";

/** Every table of the store. Each key begins with an app id; records that exist once per app are under `appKey`. */
export type Tables = { readonly [N in keyof EmbeddedRecords]: Table<EmbeddedRecords[N]> };

export function openTables(open: <T>(name: string, codec: RecordCodec<T>) => Table<T>): Tables {
  const opened: Record<string, unknown> = { interactions: open("interactions", interactionCodec) };
  for (const [name, kind] of Object.entries(KINDS)) opened[name] = open(name, codecOf<unknown>(kind));
  if (!isWhole(opened)) throw new TypeError("A table is missing");
  return opened;
}

function isWhole(opened: Readonly<Record<string, unknown>>): opened is Tables {
  return [...Object.keys(KINDS), "interactions"].every((name) => opened[name] instanceof Table);
}
