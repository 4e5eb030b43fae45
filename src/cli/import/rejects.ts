import { type FileHandle, open } from "node:fs/promises";
import type { BadRow } from "./source.js";

/** How many rejected lines are shown before only their number is. */
export const SHOWN_REJECTS = 20;

export interface RejectsOptions {
  /** The file; it is made, or made anew, at the first rejected line. */
  readonly path: string;
  /** Shows a line to the caller. */
  readonly note: (text: string) => void;
}

/** Keeps the lines that were not taken: counts all, shows the first ones, writes them as they came. */
export interface Rejects {
  /** The header that the file begins with; null for none. */
  setHeader(header: string): void;
  add(row: BadRow): void;
  /** Writes what was added. */
  flush(): Promise<void>;
  /** Flushes and says how many were not shown. */
  close(): Promise<void>;
  readonly count: number;
  /** The file, or null when nothing was rejected or it could not be written. */
  readonly file: string | null;
}

/** A file that cannot be written is said once and does not stop the import. */
export function createRejects({ path, note }: RejectsOptions): Rejects {
  let header: string | null = null;
  let total = 0;
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
        file = await open(path, "w");
        if (header !== null) await file.appendFile(`${header}\n`);
      }
      await file.appendFile(text);
    } catch (error) {
      broken = true;
      note(`Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  return {
    setHeader(text) {
      header = text;
    },
    add({ line, raw, reason }) {
      total += 1;
      waiting.push(raw);
      if (total <= SHOWN_REJECTS) note(`line ${line}: ${reason}`);
      if (total === SHOWN_REJECTS + 1) note(`more lines were rejected; they go to ${path}`);
    },
    flush,
    async close() {
      await flush();
      await file?.close();
    },
    get count() {
      return total;
    },
    get file() {
      return total > 0 && !broken ? path : null;
    },
  };
}
