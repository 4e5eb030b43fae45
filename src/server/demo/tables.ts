import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createColumnPlan } from "../../catalog/feed/columns.js";
import { createFeedReader } from "../../catalog/feed/feed-reader.js";
import { isBad, type Row } from "../../catalog/feed/rows.js";
import { textOf } from "../../catalog/feed/scalars.js";
import { DEMO_DATA } from "../web-files.js";

export interface TableRow<Column extends string> {
  readonly row: Row<Column>;
  /** The cell of a column. */
  text(column: Column): string;
  /** The texts of a cell that holds several, parted by `|`. */
  list(column: Column): string[];
}

/**
 * The rows of a CSV file in `web/demo/`, which has at least these columns.
 * @throws Error with the file and the line of a row that cannot be read
 */
export function readTable<Column extends string>(name: string, columns: readonly Column[]): TableRow<Column>[] {
  const plan = createColumnPlan({ fields: columns, aliases: {}, required: columns.map((column) => [column]) }, []);
  const reader = createFeedReader({ plan, format: "csv", takesXml: false, onHeader: () => undefined });
  const entries = [...reader.push(readFileSync(join(DEMO_DATA, name))), ...reader.end()];
  return entries.map((row) => {
    if (isBad(row)) throw new Error(`web/demo/${name}, line ${row.line}: ${row.reason}`);
    const text = (column: Column) => textOf(row.values[column], column);
    const list = (column: Column) =>
      text(column)
        .split("|")
        .filter((part) => part !== "");
    return { row, text, list };
  });
}
