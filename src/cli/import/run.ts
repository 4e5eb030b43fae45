import { createHash } from "node:crypto";
import { UsageFailure } from "../failure.js";
import { type ColumnPlan, createColumnPlan, type FieldSet } from "./columns.js";
import { createCsvReader } from "./csv.js";
import type { ImportInput } from "./input.js";
import { createJsonReader } from "./json-lines.js";
import { createLineSplitter, type SourceLine } from "./lines.js";
import type { Progress } from "./progress.js";
import type { Rejects } from "./rejects.js";
import type { Sender } from "./sender.js";
import { BadLine, type Entry, type ImportItem, isBad, type Row } from "./source.js";

/** What an import does with its rows. `key` identifies the content of the file up to and with this row; "" without `keySeed`. */
export interface ItemMaker<Field extends string, Message> {
  /** @throws BadLine when the row cannot be used */
  push(row: Row<Field>, key: string): readonly ImportItem<Message>[];
  /** Items held back, at the end of the file. */
  end(): readonly ImportItem<Message>[];
}

export interface ImportJob<Field extends string, Message> {
  readonly input: ImportInput;
  readonly fields: FieldSet<Field>;
  readonly maps: readonly string[];
  readonly maker: ItemMaker<Field, Message>;
  readonly sender: Sender<Message>;
  readonly rejects: Rejects;
  readonly progress: Progress;
  /** Null makes no keys; else all that, beside the file, decides what an item is. */
  readonly keySeed: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Told when the import ends, also by a failure. */
export interface ImportTally {
  /** Rows of the file, bad ones included, the header not. */
  rows: number;
  /** Rows with bytes that are no UTF-8. */
  notUtf8: number;
}

/**
 * Reads, understands and sends, one piece of the file after the other: the next piece is read while a call is under
 * way, so memory is bounded by the sender's two calls and the maker's window.
 * @throws what reading or sending threw; `tally` and the sender's counts then say how far it came
 */
export async function runImport<Field extends string, Message>(
  job: ImportJob<Field, Message>,
  tally: ImportTally,
): Promise<void> {
  const { input, maker, sender, rejects, progress } = job;
  const splitter = createLineSplitter();
  const reader = createRowReader(createColumnPlan(job.fields, job.maps), (header) => rejects.setHeader(header));
  const nextKey = createKeys(job.keySeed);

  const take = async (entries: readonly Entry<Field>[]) => {
    job.signal?.throwIfAborted();
    for (const entry of entries) {
      tally.rows += 1;
      if (entry.raw.includes("\uFFFD")) tally.notUtf8 += 1;
      const key = nextKey(entry.raw);
      if (isBad(entry)) rejects.add(entry);
      else {
        try {
          sender.add(maker.push(entry, key));
        } catch (error) {
          if (!(error instanceof BadLine)) throw error;
          rejects.add({ line: entry.line, raw: entry.raw, reason: error.message });
        }
      }
    }
    await sender.drain();
    await rejects.flush();
    progress.update(input.bytesRead(), tally.rows);
  };

  for await (const chunk of input.chunks) await take(reader.push(splitter.push(chunk)));
  await take([...reader.push(splitter.end()), ...reader.end()]);
  sender.add(maker.end());
  await sender.end();
}

/** Tells the format by the first line that is not blank: a JSON object, else a CSV header. */
function createRowReader<Field extends string>(plan: ColumnPlan<Field>, onHeader: (header: string) => void) {
  let format: { push(lines: readonly SourceLine[]): Entry<Field>[]; end(): Entry<Field>[] } | null = null;
  return {
    push(lines: readonly SourceLine[]): Entry<Field>[] {
      if (format) return format.push(lines);
      const at = lines.findIndex((line) => line.raw.trim() !== "");
      const first = lines[at];
      if (!first) return [];
      const start = first.raw.trimStart();
      if (start.startsWith("[")) {
        throw new UsageFailure("The file is a JSON array; CSV with a header, or one JSON object a line, is accepted");
      }
      if (start.startsWith("{")) {
        format = { push: createJsonReader(plan), end: () => [] };
        return format.push(lines.slice(at));
      }
      onHeader(first.raw);
      format = createCsvReader(first.raw, plan);
      return format.push(lines.slice(at + 1));
    },
    end: () => format?.end() ?? [],
  };
}

/**
 * A running hash over the rows: equal files read with equal options give equal keys, also when one of them goes on
 * longer at its end, and no second pass over the file is needed.
 */
function createKeys(seed: string | null): (raw: string) => string {
  if (seed === null) return () => "";
  let state = createHash("sha256").update(seed).digest();
  return (raw) => {
    state = createHash("sha256").update(state).update(raw).digest();
    return `import:${state.toString("base64url")}`;
  };
}
