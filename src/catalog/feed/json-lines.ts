import { parseExactJson } from "../../parse/exact-json.js";
import { repeatedName } from "../../parse/repeated-name.js";
import type { ColumnPlan } from "./columns.js";
import type { SourceLine } from "./lines.js";
import { type Entry, isBad, rowOf } from "./rows.js";

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
  const twice = repeatedName(raw);
  if (twice !== undefined) return { line, raw, reason: `${twice}: given twice` };
  return rowOf({ line, raw }, Object.entries(value), plan);
}
