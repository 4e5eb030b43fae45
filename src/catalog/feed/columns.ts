import { UnusableFile } from "./feed-errors.js";

/** The fields of an import, their other names, and the required ones. */
export interface FieldSet<Field extends string> {
  readonly fields: readonly Field[];
  readonly aliases: Readonly<Record<string, Field>>;
  /** Groups of fields. A file without a column for one field of each group is refused. */
  readonly required: readonly (readonly Field[])[];
  /**
   * Nothing is passed over: two columns of one field must agree, and what stands inside a field is a column, named by its path.
   * Otherwise the first column with a value counts, as in feeds with a `title` and a `name`.
   */
  readonly isStrict?: true;
  /** Columns that reveal a file of another kind, and the command for it. */
  readonly foreign?: { readonly columns: readonly string[]; readonly meantFor: string };
}

/** Which column of a file feeds which field. */
export interface ColumnPlan<Field extends string> {
  readonly isStrict: boolean;
  /**
   * The fields a column feeds; none for an extra column. The comparison ignores case, outer blanks and Google's `g:`, and
   * takes an inner blank for `_`.
   */
  fieldsOf(column: string): readonly Field[];
  /** @throws UnusableFile for the columns of another kind of file */
  checkKind(columns: readonly string[]): void;
  /** @throws UnusableFile if a required or mapped column is missing, or for another kind of file */
  check(columns: readonly string[]): void;
}

/** Names whose fields a plan remembers; JSON lines may have any number. */
const MAX_KNOWN = 1000;

/** A column's name without what `fieldsOf` passes over. */
export const normalColumn = (name: string) => name.trim().toLowerCase().replace(/^g:/, "").replace(/\s+/g, "_");

/**
 * @param maps texts `field=column` as given by `--map`. A mapped field is read from that column only; a column may
 *   feed several fields.
 * @throws UnusableFile for a map with an unknown field or without a column
 */
export function createColumnPlan<Field extends string>(
  set: FieldSet<Field>,
  maps: readonly string[],
): ColumnPlan<Field> {
  const columnOf = new Map<Field, string>();
  for (const map of maps) {
    const at = map.indexOf("=");
    const field = set.fields.find((known) => known === normalColumn(map.slice(0, Math.max(0, at))));
    const column = normalColumn(map.slice(at + 1));
    if (!field || !column) {
      throw new UnusableFile(`--map: FIELD=COLUMN is accepted, where FIELD is one of ${set.fields.join(", ")}`);
    }
    columnOf.set(field, column);
  }

  const byColumn = new Map<string, Field[]>();
  const feed = (column: string, field: Field) => {
    const fields = byColumn.get(column);
    if (!fields) byColumn.set(column, [field]);
    else if (!fields.includes(field)) fields.push(field);
  };
  for (const [field, column] of columnOf) feed(column, field);
  for (const field of set.fields) if (!columnOf.has(field)) feed(field, field);
  for (const [alias, field] of Object.entries(set.aliases)) {
    if (!columnOf.has(field) && !byColumn.has(alias)) feed(alias, field);
  }

  const checkKind = (columns: readonly string[]) => {
    const stranger = columns.find((column) => {
      const name = normalColumn(column);
      return set.foreign?.columns.includes(name) && ![...columnOf.values()].includes(name);
    });
    if (set.foreign === undefined || stranger === undefined) return;
    throw new UnusableFile(
      `The file has a column ${normalColumn(stranger)} and so is of another kind: "${set.foreign.meantFor}" takes it`,
    );
  };
  const known = new Map<string, readonly Field[]>();
  return {
    isStrict: set.isStrict === true,
    fieldsOf(column) {
      const fields = known.get(column) ?? byColumn.get(normalColumn(column)) ?? [];
      if (known.size < MAX_KNOWN) known.set(column, fields);
      return fields;
    },
    checkKind,
    check(columns) {
      const present = new Set(columns.map(normalColumn));
      for (const [field, column] of columnOf) {
        if (!present.has(column)) {
          throw new UnusableFile(`--map ${field}=${column}: the file has no such column; it has ${columns.join(", ")}`);
        }
      }
      for (const group of set.required) {
        const fed = columns.flatMap((column) => byColumn.get(normalColumn(column)) ?? []);
        if (group.some((field) => fed.includes(field))) continue;
        throw new UnusableFile(
          `The file has no column ${group.join(" or ")}; it has ${columns.join(", ")} (name it with --map ${group[0]}=COLUMN)`,
        );
      }
      checkKind(columns);
    },
  };
}
