import { isNoValue } from "../../parse/words-for-nothing.js";
import { type ColumnPlan, normalColumn } from "./columns.js";
import { nestedCells } from "./nested-cells.js";

/** A record's text and place in the input file, for reports and for writing it back. It may span several lines. */
export interface Source {
  /** Number of its first line, from 1; of an XML item its number. */
  readonly line: number;
  /** Its text without the last line break; of an XML item its fields as one JSON object. */
  readonly raw: string;
  /** Its id, if readable. */
  readonly id?: string;
}

/** A line that cannot be used. `reason` names the field and what is accepted, never the value. */
export interface BadRow extends Source {
  readonly reason: string;
}

/** A line split into columns: known fields by name, the others in order. */
export interface Row<Field extends string> extends Source {
  readonly values: Readonly<Partial<Record<Field, unknown>>>;
  readonly extras: readonly (readonly [name: string, value: unknown])[];
  /** An item of an XML feed, which leaves out elements without a value. */
  readonly isItem?: true;
  /** Default currency of prices in this kind of file. */
  readonly currency?: string;
}

export type Entry<Field extends string> = Row<Field> | BadRow;

/** The message made of one or several lines. */
export interface ImportItem<Message> {
  readonly message: Message;
  /** The lines it came from. */
  readonly sources: readonly Source[];
  /** Idempotency key; "" for none. */
  readonly key: string;
}

/** Why a line is unusable. The import reports it and goes on. */
export class BadLine extends Error {}

export function isBad<Field extends string>(entry: Entry<Field>): entry is BadRow {
  return "reason" in entry;
}

/** True for a cell without a value, as `NULL` of a database's export. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && isNoValue(value));
}

/** The row of a line's cells. A line that gives one field two values is bad: nothing tells which one its sender meant. */
export function rowOf<Field extends string>(
  source: Source,
  cells: Iterable<readonly [name: string, value: unknown]>,
  plan: ColumnPlan<Field>,
): Entry<Field> {
  const values: Partial<Record<Field, unknown>> = {};
  const names = new Map<Field, string>();
  const extras: (readonly [string, unknown])[] = [];
  for (const cell of plan.isStrict ? nestedCells(cells) : cells) {
    const [name, value] = cell;
    const fields = plan.fieldsOf(name);
    if (fields.length === 0) extras.push(cell);
    for (const field of fields) {
      const before = names.get(field);
      if (before === undefined || isEmpty(values[field])) {
        values[field] = value;
        names.set(field, name);
      } else if (!isEmpty(value) && !isSame(values[field], value) && (plan.isStrict || isOneColumn(before, name))) {
        const where = before === name ? `the column ${name}` : `the columns ${before} and ${name}`;
        return { ...source, reason: `${field}: given twice with different values, by ${where}` };
      }
    }
  }
  return { ...source, values, extras };
}

function isOneColumn(a: string, b: string): boolean {
  return normalColumn(a) === normalColumn(b);
}

function isSame(a: unknown, b: unknown): boolean {
  return plainly(a) === plainly(b);
}

function plainly(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value).trim();
}

/** The id of a row, if readable. */
export function textId(row: Row<string>): string | undefined {
  const id = row.id ?? row.values.id;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
