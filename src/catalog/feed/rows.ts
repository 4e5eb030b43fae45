import { isNoValue } from "../../parse/words-for-nothing.js";

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

/** The id of a row, if readable. */
export function textId(row: Row<string>): string | undefined {
  const id = row.id ?? row.values.id;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
