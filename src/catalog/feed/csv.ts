/**
 * CSV by RFC 4180 with csv-parse: comma, semicolon, tab or bar (the header decides), LF or CRLF.
 *
 * At an unclosed quotation mark a parser takes the rest of the file for one value. An import must lose only the bad line.
 * So lines are joined until their quotation marks are even, at most `MAX_RECORD_LINES`, and csv-parse reads this one
 * record. If it is not valid, only its first line is bad and reading goes on at the second. Each record also keeps its exact
 * text and line number.
 */
import { CsvError, parse } from "csv-parse/sync";
import type { ColumnPlan } from "./columns.js";
import { MAX_LINE_CHARS, type SourceLine } from "./lines.js";
import { type Entry, rowOf } from "./rows.js";

export const MAX_RECORD_LINES = 2000;

/** Makes rows of lines; the first line is the header. Holds the lines of at most one unfinished record. */
export interface CsvReader<Field extends string> {
  push(lines: readonly SourceLine[]): Entry<Field>[];
  end(): Entry<Field>[];
}

/** The delimiter of a header: the most frequent one of `, ; TAB |` outside quotation marks. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, "");
  const uses = [",", ";", "\t", "|"].map((mark) => ({ mark, count: bare.split(mark).length }));
  return uses.reduce((best, use) => (use.count > best.count ? use : best)).mark;
}

/** The column names of a header line. */
export function columnsOf(header: string, delimiter = delimiterOf(header)): string[] {
  const record = cellsOf(header, delimiter) ?? header.split(delimiter);
  return record.map((name) => name.trim());
}

/** @throws UnusableFile when the header lacks a column the plan needs. */
export function createCsvReader<Field extends string>(
  header: string,
  plan: ColumnPlan<Field>,
  delimiter = delimiterOf(header),
): CsvReader<Field> {
  const columns = columnsOf(header, delimiter);
  plan.check(columns);
  let waiting: readonly SourceLine[] = [];

  const entryOf = (line: number, raw: string, cells: readonly string[] | null): Entry<Field> => {
    if (cells === null) return { line, raw, reason: "a quotation mark is not closed or stands inside a value" };
    if (cells.length !== columns.length) {
      return { line, raw, reason: `the line has ${cells.length} columns, the header ${columns.length}` };
    }
    return rowOf(
      { line, raw },
      columns.map((column, at) => [column, cells[at]!] as const),
      plan,
    );
  };

  const read = (lines: readonly SourceLine[], ended: boolean): Entry<Field>[] => {
    const all = waiting.length === 0 ? lines : [...waiting, ...lines];
    waiting = [];
    const entries: Entry<Field>[] = [];
    for (let at = 0; at < all.length; at++) {
      const { line, raw, cut } = all[at]!;
      if (cut) entries.push({ line, raw, reason: "the line is longer than 1 MiB" });
      else if (!raw.includes('"')) {
        if (raw.trim() !== "") entries.push(entryOf(line, raw, raw.split(delimiter)));
      } else {
        const length = recordLength(all, at, ended);
        if (length === null) {
          waiting = all.slice(at);
          break;
        }
        const joined = all
          .slice(at, at + length)
          .map((part) => part.raw)
          .join("\n");
        const cells = length === 0 ? null : cellsOf(joined, delimiter);
        if (cells !== null) {
          entries.push(entryOf(line, joined, cells));
          at += length - 1;
        } else entries.push(entryOf(line, raw, cellsWithMarks(raw, delimiter, columns.length)));
      }
    }
    return entries;
  };

  return { push: (lines) => read(lines, false), end: () => read([], true) };
}

/** Lines of the record at `at`; 0 if its quotation marks never close, null if more lines are needed. */
function recordLength(lines: readonly SourceLine[], at: number, ended: boolean): number | null {
  let even = true;
  let chars = 0;
  for (let length = 1; at + length <= lines.length; length++) {
    const { raw, cut } = lines[at + length - 1]!;
    chars += raw.length;
    if (cut || chars > MAX_LINE_CHARS || length > MAX_RECORD_LINES) return 0;
    for (let mark = raw.indexOf('"'); mark >= 0; mark = raw.indexOf('"', mark + 1)) even = !even;
    if (even) return length;
  }
  return ended ? 0 : null;
}

/** The cells of one record; null for an unclosed quotation mark, or one inside a value. */
function cellsOf(record: string, delimiter: string, relaxed = false): string[] | null {
  try {
    return (
      parse(record, { delimiter, record_delimiter: "\n", relax_column_count: true, relax_quotes: relaxed })[0] ?? null
    );
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** The cells of a single line with a mark inside a value, as in `5" pipe,12`; null if the columns do not fit. */
function cellsWithMarks(line: string, delimiter: string, columns: number): string[] | null {
  const cells = cellsOf(line, delimiter, true);
  // A value that still begins with its mark has text after the closing mark.
  return cells?.length === columns && !cells.some((cell) => cell.startsWith('"')) ? cells : null;
}
