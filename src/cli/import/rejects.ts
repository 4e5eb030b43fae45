import { type FileHandle, open } from "node:fs/promises";
import type { BadRow } from "../../catalog/feed/rows.js";

/** Number of rejected lines that are shown; for the rest only their number. */
export const SHOWN_REJECTS = 20;

export interface RejectsOptions {
  /** The file; it is created, or truncated, at the first rejected line. */
  readonly path: string;
  /** Shows a line to the caller. */
  readonly note: (text: string) => void;
  /** File for one JSON document for each rejected line; undefined: none. */
  readonly reportPath?: string | undefined;
}

/** Collects rejected lines: counts all, shows the first ones, writes them unchanged. */
export interface Rejects {
  /** The header line of the file; null for none. */
  setHeader(header: string): void;
  /** The unit of a row: `line` or `item`. */
  setUnit(unit: "line" | "item"): void;
  add(row: BadRow): void;
  /** Writes what was added. */
  flush(): Promise<void>;
  /** Flushes and reports how many were not shown. */
  close(): Promise<void>;
  readonly count: number;
  /** Count of each reason, for the first `COUNTED_REASONS` of them. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The file, or null when nothing was rejected or it could not be written. */
  readonly file: string | null;
}

/** Further reasons are counted together. */
const COUNTED_REASONS = 50;

/** A file that cannot be written is reported once and does not stop the import. */
export function createRejects({ path, reportPath, note }: RejectsOptions): Rejects {
  const rows = createLateFile(path, note);
  const report = reportPath === undefined ? null : createLateFile(reportPath, note);
  const reasons = new Map<string, number>();
  let unit = "line";
  let total = 0;

  return {
    setHeader: rows.setHeader,
    setUnit(text) {
      unit = text;
    },
    add(row) {
      total += 1;
      rows.add(row.raw);
      report?.add(reportLine(row));
      const reason = reasons.size < COUNTED_REASONS || reasons.has(row.reason) ? row.reason : "other reasons";
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      if (total <= SHOWN_REJECTS) note(`${unit} ${row.line}: ${row.reason}`);
      if (total === SHOWN_REJECTS + 1) note(`more ${unit}s were rejected; they go to ${path}`);
    },
    async flush() {
      await rows.flush();
      await report?.flush();
    },
    async close() {
      await rows.close();
      await report?.close();
    },
    get count() {
      return total;
    },
    reasons,
    get file() {
      return total > 0 && !rows.isBroken() ? path : null;
    },
  };
}

/** `{position, id, field, reason}` as one line of JSON; `field` is "" where no single one is at fault. */
function reportLine({ line, id, reason }: BadRow): string {
  const [, field = "", rest = ""] = /^(?:refused by the server: )?([a-z_.]+): (.*)$/s.exec(reason) ?? [];
  return JSON.stringify({ position: line, id: id ?? "", field, reason: rest || reason });
}

/** Rows hold names and addresses. The mode of `open` counts only for a new file, so that of an old one is set first. */
async function openPrivate(path: string): Promise<FileHandle> {
  const file = await open(path, "a", 0o600);
  try {
    // A device or a pipe, such as /dev/stdout, keeps the mode it has.
    if ((await file.stat()).isFile()) {
      await file.chmod(0o600);
      await file.truncate();
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A file created with its first line. A write error is reported once, and the line dropped. */
function createLateFile(path: string, note: (text: string) => void) {
  let header: string | null = null;
  let waiting: string[] = [];
  let file: FileHandle | null = null;
  let broken = false;
  const flush = async () => {
    if (waiting.length === 0 || broken) {
      waiting = [];
      return;
    }
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    try {
      if (!file) {
        file = await openPrivate(path);
        if (header !== null) await file.appendFile(`${header}\n`);
      }
      await file.appendFile(text);
    } catch (error) {
      broken = true;
      note(`Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    setHeader(text: string) {
      header = text;
    },
    add: (line: string) => void waiting.push(line),
    flush,
    async close() {
      await flush();
      await file?.close();
    },
    isBroken: () => broken,
  };
}
