import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import Table from "cli-table3";
import { UsageFailure } from "./errors.js";

/** The output of a command. A terminal has `isTTY`; `columns` is its width. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The text without line breaks and control characters: what shops and visitors send must not steer a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}

export function writeLine(output: Output, line: string): void {
  output.write(`${line}\n`);
}

/** A value as indented JSON. */
export function writeJson(output: Output, value: unknown): void {
  writeLine(output, JSON.stringify(value, null, 2));
}

/** The text, cut to `width` with an ellipsis. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Title and text of a column, and where it stands. An array has a text for each line. */
export type Column<Row> = readonly [
  title: string,
  text: (row: Row, at: number) => string | readonly string[],
  align?: "right",
];

const WITHOUT_BORDERS = Object.fromEntries(
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid"
    .split(" ")
    .map((part) => [part, ""]),
);

/** A table without borders: a header and one line a row, so that it pastes well. Its texts are made printable. */
export function writeTable<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  indent = "",
): void {
  const table = new Table({
    head: columns.map(([title]) => printable(title)),
    colAligns: columns.map(([, , align]) => align ?? "left"),
    chars: { ...WITHOUT_BORDERS, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const [at, row] of rows.entries())
    table.push(columns.map(([, text]) => [text(row, at)].flat().map(printable).join("\n")));
  for (const line of table.toString().split("\n")) writeLine(output, (indent + line).trimEnd());
}

/** A whole number with separators: `1,234,567`. */
export function count(value: number | bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share as a number of hundredths: `12.3`. */
export function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** Bytes for people: `12.3 MB`. */
export function megabytes(bytes: number | bigint): string {
  return `${(Number(bytes) / 1_000_000).toFixed(1)} MB`;
}

/** Milliseconds for people: `850 ms`, `12.3 s`, `4 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** RFC 4180. Cells may be a shop's own text: none begins as a formula does. */
export function csvLine(cells: readonly string[]): string {
  const written = cells.map((cell) => {
    const text = printable(cell).replace(/^[=+@\t-]/, "'$&");
    return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${written.join(",")}\r\n`;
}

export function writeCsvLine(output: Output, cells: readonly string[]): void {
  output.write(csvLine(cells));
}

/** Readable for its owner alone. */
export async function newFile(path: string, accepted = "a new file in a writable directory") {
  return open(path, "wx", 0o600).catch(() => {
    throw new UsageFailure(`--out: ${accepted} is accepted`);
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** True on a terminal, unless its user wants none (https://no-color.org). */
export function hasColour(output: Output, env: Environment): boolean {
  return output.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

export const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
export const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;
export const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
