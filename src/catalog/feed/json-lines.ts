import { parseExactJson } from "../../parse/exact-json.js";
import type { ColumnPlan } from "./columns.js";
import type { SourceLine } from "./lines.js";
import { type Entry, isBad, isEmpty } from "./rows.js";

/**
 * One JSON object a line becomes one row. Blank lines are skipped.
 * The reader throws UnusableFile when the first object is of another kind of file.
 */
export function createJsonReader<Field extends string>(plan: ColumnPlan<Field>) {
  let isChecked = false;
  return (lines: readonly SourceLine[]): Entry<Field>[] => {
    const entries: Entry<Field>[] = [];
    for (const { line, raw, cut } of lines) {
      if (raw.trim() === "") continue;
      const entry = cut ? { line, raw, reason: "the line is longer than 1 MiB" } : readObject(line, raw, plan);
      if (!isChecked && !isBad(entry))
        plan.checkKind(Object.keys(entry.values).concat(entry.extras.map(([name]) => name)));
      isChecked ||= !isBad(entry);
      entries.push(entry);
    }
    return entries;
  };
}

function readObject<Field extends string>(line: number, raw: string, plan: ColumnPlan<Field>): Entry<Field> {
  let value: unknown;
  try {
    value = parseExactJson(raw, "whole");
  } catch {
    // the line is rejected with this reason
    return { line, raw, reason: "the line is no JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line, raw, reason: "the line is no JSON object" };
  }
  const values: Partial<Record<Field, unknown>> = {};
  const extras: [string, unknown][] = [];
  for (const [name, cell] of Object.entries(value)) {
    const fields = plan.fieldsOf(name);
    if (fields.length === 0) extras.push([name, cell]);
    for (const field of fields) if (isEmpty(values[field])) values[field] = cell;
  }
  return { line, raw, values, extras };
}
