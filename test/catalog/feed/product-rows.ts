import { type ColumnPlan, createColumnPlan, type FieldSet } from "../../../src/catalog/feed/columns.js";
import { createCsvReader } from "../../../src/catalog/feed/csv.js";
import { createLineSplitter, type SourceLine } from "../../../src/catalog/feed/lines.js";
import { type Entry, isBad, type Row } from "../../../src/catalog/feed/rows.js";

/** Lines of a text that arrives in pieces of `step` bytes. */
export function linesOf(text: string, step = 7): SourceLine[] {
  const bytes = Buffer.from(text);
  const splitter = createLineSplitter();
  const lines: SourceLine[] = [];
  for (let at = 0; at < bytes.length; at += step) lines.push(...splitter.push(bytes.subarray(at, at + step)));
  return [...lines, ...splitter.end()];
}

/** Entries of a CSV text whose lines arrive `group` at a time. */
export function csvEntries<Field extends string>(text: string, plan: ColumnPlan<Field>, group = 3): Entry<Field>[] {
  const [header, ...lines] = linesOf(text);
  const reader = createCsvReader(header!.raw, plan);
  const entries: Entry<Field>[] = [];
  for (let at = 0; at < lines.length; at += group) entries.push(...reader.push(lines.slice(at, at + group)));
  return [...entries, ...reader.end()];
}

/** A plan over fields `a`, `b` and `c`. */
export function plainPlan(): ColumnPlan<"a" | "b" | "c"> {
  return createColumnPlan({ fields: ["a", "b", "c"], aliases: {}, required: [] }, []);
}

/** The one row of a CSV text of a header and a record. */
export function rowOf<Field extends string>(text: string, set: FieldSet<Field>, maps: readonly string[] = []) {
  const [entry] = csvEntries(text, createColumnPlan(set, maps));
  if (!entry || isBad(entry)) throw new Error(`no row: ${entry?.reason}`);
  return entry;
}

/** A row as a JSON line gives it. */
export function row<Field extends string>(
  values: Row<Field>["values"],
  extras: readonly (readonly [string, unknown])[] = [],
): Row<Field> {
  return { line: 1, raw: "", values, extras };
}
