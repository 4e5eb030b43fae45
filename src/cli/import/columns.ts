import { UsageFailure } from "../failure.js";

/** The fields an import knows, other names they go by, and which of them a file must have. */
export interface FieldSet<Field extends string> {
  readonly fields: readonly Field[];
  readonly aliases: Readonly<Record<string, Field>>;
  /** Without a column for one field of each group no line can be good: the whole file is refused. */
  readonly required: readonly (readonly Field[])[];
}

/** Which column of a file feeds which field. */
export interface ColumnPlan<Field extends string> {
  /** The fields a column feeds; none for an extra column. Names are compared without case and outer blanks. */
  fieldsOf(column: string): readonly Field[];
  /** @throws UsageFailure when a required or a mapped column is not among these. */
  check(columns: readonly string[]): void;
}

const normal = (name: string) => name.trim().toLowerCase();

/**
 * @param maps texts `field=column` as given by `--map`. A mapped field is read from that column only; a column may
 *   feed several fields.
 * @throws UsageFailure when a map names no known field or no column.
 */
export function createColumnPlan<Field extends string>(
  set: FieldSet<Field>,
  maps: readonly string[],
): ColumnPlan<Field> {
  const columnOf = new Map<Field, string>();
  for (const map of maps) {
    const at = map.indexOf("=");
    const field = set.fields.find((known) => known === normal(map.slice(0, Math.max(0, at))));
    const column = normal(map.slice(at + 1));
    if (!field || !column) {
      throw new UsageFailure(`--map: FIELD=COLUMN is accepted, where FIELD is one of ${set.fields.join(", ")}`);
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

  return {
    fieldsOf: (column) => byColumn.get(normal(column)) ?? [],
    check(columns) {
      const present = new Set(columns.map(normal));
      for (const [field, column] of columnOf) {
        if (!present.has(column)) {
          throw new UsageFailure(`--map ${field}=${column}: the file has no such column; it has ${columns.join(", ")}`);
        }
      }
      for (const group of set.required) {
        const fed = columns.flatMap((column) => byColumn.get(normal(column)) ?? []);
        if (group.some((field) => fed.includes(field))) continue;
        throw new UsageFailure(
          `The file has no column ${group.join(" or ")}; it has ${columns.join(", ")} (name it with --map ${group[0]}=COLUMN)`,
        );
      }
    },
  };
}
