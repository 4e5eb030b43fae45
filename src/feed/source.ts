/** One line of an input file, or several that belong together, and where it stands: enough to report and write it back. */
export interface Source {
  /** Number of its first line in the file, from 1; of an item in XML which one it is. */
  readonly line: number;
  /** Its text without the last line break; of an item in XML its fields as one JSON object. */
  readonly raw: string;
  /** The id it gives, where one can be read. */
  readonly id?: string;
}

/** A line that cannot be used. `reason` names the field and what is accepted, never the value. */
export interface BadRow extends Source {
  readonly reason: string;
}

/** A line whose columns were told apart: fields Aisle knows by name, and the rest in order. */
export interface Row<Field extends string> extends Source {
  readonly values: Readonly<Partial<Record<Field, unknown>>>;
  readonly extras: readonly (readonly [name: string, value: unknown])[];
  /** The currency of prices in this kind of file, when nothing else says one. */
  readonly currency?: string;
}

export type Entry<Field extends string> = Row<Field> | BadRow;

/** What one or several lines of a file became. */
export interface ImportItem<Message> {
  readonly message: Message;
  /** The lines it came from. */
  readonly sources: readonly Source[];
  /** Idempotency key; "" for none. */
  readonly key: string;
}

/** Says why a line cannot be used. Caught line by line; it does not stop an import. */
export class BadLine extends Error {}

export function isBad<Field extends string>(entry: Entry<Field>): entry is BadRow {
  return "reason" in entry;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** The id that a row gives, where it is one that can be read. */
export function textId(row: Row<string>): string | undefined {
  const id = row.id ?? row.values.id;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}
