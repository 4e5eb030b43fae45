import { createHash } from "node:crypto";
import { createColumnPlan, type FieldSet } from "../../catalog/feed/columns.js";
import { createFeedReader, type FeedFormat, type FeedReader } from "../../catalog/feed/feed-reader.js";
import { BadLine, type Entry, type ImportItem, isBad, type Row, textId } from "../../catalog/feed/rows.js";
import type { ImportInput } from "./input.js";
import type { Listing } from "./listing.js";
import type { Progress } from "./progress.js";
import type { Rejects } from "./rejects.js";
import type { Sender } from "./sender.js";

/**
 * Handles the rows of an import. `key` identifies the content of the file up to and including this row; "" without
 * `keySeed`.
 */
export interface ItemMaker<Field extends string, Message> {
  /** @throws BadLine when the row is unusable */
  push(row: Row<Field>, key: string): readonly ImportItem<Message>[];
  /** Items held back, at the end of the file. */
  end(): readonly ImportItem<Message>[];
}

export interface ImportJob<Field extends string, Message> {
  readonly input: ImportInput;
  readonly fields: FieldSet<Field>;
  readonly maps: readonly string[];
  /** The format of the file; undefined: the content decides. */
  readonly format: FeedFormat | undefined;
  readonly takesXml: boolean;
  readonly maker: ItemMaker<Field, Message>;
  readonly sender: Sender<Message>;
  /** Reports the ids that a full feed lists; undefined for other imports. */
  readonly listing?: Listing | undefined;
  readonly rejects: Rejects;
  readonly progress: Progress;
  /** All options that, besides the file, decide what an item is; null for no keys. */
  readonly keySeed: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Called when the import ends, also after a failure. */
export interface ImportTally {
  /** The unit of a row: `line` or `item`. */
  unit: FeedReader<string>["unit"];
  /** Rows of the file, bad ones included, without the header. */
  rows: number;
  /** Rows with bytes that are not UTF-8. */
  notUtf8: number;
}

/**
 * Reads, parses and sends, one piece of the file after the other. The next piece is read while a call is under way, so
 * the sender's two calls and the maker's window limit memory.
 *
 * @throws the error of reading or sending; `tally` and the sender's counts then show how far it came
 */
export async function runImport<Field extends string, Message>(
  job: ImportJob<Field, Message>,
  tally: ImportTally,
): Promise<void> {
  const { input, maker, sender, listing, rejects, progress } = job;
  const reader = createFeedReader({
    plan: createColumnPlan(job.fields, job.maps),
    format: job.format,
    takesXml: job.takesXml,
    onHeader: (header) => rejects.setHeader(header),
  });
  const nextKey = createKeys(job.keySeed);

  const take = async (entries: readonly Entry<Field>[]) => {
    job.signal?.throwIfAborted();
    tally.unit = reader.unit;
    rejects.setUnit(reader.unit);
    for (const entry of entries) {
      tally.rows += 1;
      if (entry.raw.includes("\uFFFD")) tally.notUtf8 += 1;
      const key = nextKey(entry.raw);
      if (isBad(entry)) {
        rejects.add(entry);
        listing?.add(entry.id);
      } else {
        try {
          const items = maker.push(entry, key);
          sender.add(items);
          for (const { sources } of items) for (const source of sources) listing?.add(source.id);
        } catch (error) {
          if (!(error instanceof BadLine)) throw error;
          const { line, raw } = entry;
          const id = textId(entry);
          listing?.add(id ?? "");
          rejects.add({ line, raw, reason: error.message, ...(id !== undefined && { id }) });
        }
      }
    }
    await listing?.drain();
    await sender.drain();
    await rejects.flush();
    progress.update(input.bytesRead(), tally.rows);
  };

  for await (const chunk of input.chunks) await take(reader.push(chunk));
  await take(reader.end());
  sender.add(maker.end());
  await sender.end();
}

/**
 * A running hash over the rows. Equal files read with equal options give equal keys, even if one of them is longer. Needs
 * no second pass over the file.
 */
function createKeys(seed: string | null): (raw: string) => string {
  if (seed === null) return () => "";
  let state = createHash("sha256").update(seed).digest();
  return (raw) => {
    state = createHash("sha256").update(state).update(raw).digest();
    return `import:${state.toString("base64url")}`;
  };
}
