import { parseExactJson } from "../../parse/exact-json.js";
import { repeatedName } from "../../parse/repeated-name.js";
import type { ColumnPlan } from "./columns.js";
import { createCsvReader } from "./csv.js";
import { UnusableFile } from "./feed-errors.js";
import { createLineSplitter, type SourceLine } from "./lines.js";
import { type Entry, isBad, rowOf } from "./rows.js";
import { createXmlFeedReader } from "./xml-feed.js";

/** How a file of products may be written. */
export const FEED_FORMATS = ["google", "ceneo", "csv", "tsv", "jsonl"] as const;

export type FeedFormat = (typeof FEED_FORMATS)[number];

/** Turns the bytes of a file into rows, however they are cut. Holds at most one unfinished row. */
export interface FeedReader<Field extends string> {
  /** The unit of a row's number: `line`, or `item` for XML. */
  readonly unit: "line" | "item";
  /** @throws UnusableFile, or BrokenFeed when the rest cannot be read */
  push(chunk: Uint8Array): Entry<Field>[];
  end(): Entry<Field>[];
}

export interface FeedReaderOptions<Field extends string> {
  readonly plan: ColumnPlan<Field>;
  /** Undefined: the content decides. */
  readonly format?: FeedFormat | undefined;
  /** XML is rejected otherwise. */
  readonly takesXml: boolean;
  /** Called with the first line of a file with column names. */
  readonly onHeader: (header: string) => void;
}

type Rows<Field extends string> = Pick<FeedReader<Field>, "push" | "end">;

export function createFeedReader<Field extends string>(options: FeedReaderOptions<Field>): FeedReader<Field> {
  const { plan, format, takesXml } = options;
  let head = Buffer.alloc(0);
  let rows: Rows<Field> | undefined;
  let isXml = format === "google" || format === "ceneo";
  if (isXml) rows = createXmlFeedReader(plan, format === "ceneo" ? "ceneo" : "google");
  else if (format !== undefined) rows = createLineRows(options);

  /** Detects the format by the first character that is not blank, after a byte order mark. */
  const begin = (): Rows<Field> => {
    const start = head.toString("utf8").replace(/^[\uFEFF\s]+/, "");
    isXml = start.startsWith("<");
    if (isXml && !takesXml) {
      throw new UnusableFile("The file is XML; CSV with a header, or one JSON object a line, is accepted");
    }
    return isXml ? createXmlFeedReader(plan, undefined) : createLineRows(options);
  };
  return {
    get unit() {
      return isXml ? "item" : "line";
    },
    push(chunk) {
      if (rows !== undefined) return rows.push(chunk);
      head = Buffer.concat([head, chunk]);
      if (/^[\uFEFF\uFFFD\s]*$/.test(head.toString("utf8")) && head.length < 65_536) return [];
      rows = begin();
      return rows.push(head);
    },
    end() {
      if (rows !== undefined) return rows.end();
      rows = begin();
      return [...rows.push(head), ...rows.end()];
    },
  };
}

/** JSON lines or CSV, by the first line that is not blank: a JSON object or a header. */
function createLineRows<Field extends string>({ plan, format, onHeader }: FeedReaderOptions<Field>): Rows<Field> {
  const splitter = createLineSplitter();
  let reader: { push(lines: readonly SourceLine[]): Entry<Field>[]; end(): Entry<Field>[] } | undefined;
  const read = (lines: readonly SourceLine[]): Entry<Field>[] => {
    if (reader) return reader.push(lines);
    const at = lines.findIndex((line) => line.raw.trim() !== "");
    const first = lines[at];
    if (!first) return [];
    const start = first.raw.trimStart();
    if (start.startsWith("[") && format !== "csv" && format !== "tsv") {
      throw new UnusableFile("The file is a JSON array; CSV with a header, or one JSON object a line, is accepted");
    }
    if (format === "jsonl" || (format === undefined && start.startsWith("{"))) {
      reader = { push: createJsonReader(plan), end: () => [] };
      return reader.push(lines.slice(at));
    }
    onHeader(first.raw);
    reader = createCsvReader(first.raw, plan, format === "tsv" ? "\t" : undefined);
    return reader.push(lines.slice(at + 1));
  };
  return {
    push: (chunk) => read(splitter.push(chunk)),
    end: () => [...read(splitter.end()), ...(reader?.end() ?? [])],
  };
}

/**
 * One JSON object a line becomes one row. Blank lines are skipped.
 * The reader throws UnusableFile when the first object is of another kind of file.
 */
function createJsonReader<Field extends string>(plan: ColumnPlan<Field>) {
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
