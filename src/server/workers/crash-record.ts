/** Remembers, beside an embedded store, which processes were ended by a signal while they had it open. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** LMDB ends the process that reads a damaged tree by one of these. */
const CRASHES: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);
/** So many crashes … */
const MAX_CRASHES = 3;
/** … in this time, and the store is not opened again. */
const WITHIN_MS = 10 * 60_000;

const RECORD = "crashes.json";
const DATA_FILE = "data.mdb";

interface Crash {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly signal: string;
}

export interface CrashRecord {
  /** Why the store is not to be opened; undefined when it may be. */
  refusal(): string | undefined;
  /** Notes how a process ended. */
  note(signal: string | null): void;
  /** The store may be opened again. */
  forget(): void;
}

/**
 * The record stays beside the store, because a supervisor that starts the server again would start the crashes again, too.
 * It holds for the file as the last crash left it: a restored backup may be opened.
 */
export function openCrashRecord(directory: string, now: () => number): CrashRecord {
  const path = join(directory, RECORD);
  let crashes = read(path, fileOf(directory));
  const recent = () => crashes.filter(({ at }) => Math.abs(now() - at) < WITHIN_MS);
  return {
    refusal() {
      const last = crashes.at(-1);
      if (last === undefined || crashes.length < MAX_CRASHES) return undefined;
      return (
        `${crashes.length} processes that had ${directory} open were ended by ${last.signal}, ` +
        `the last at ${new Date(last.at).toISOString()}: the store may be damaged. ` +
        `Look with "aisle doctor --verify", restore a backup, or open it all the same with --force`
      );
    },
    note(signal) {
      if (signal === null || !CRASHES.has(signal)) return;
      crashes = [...recent(), { at: now(), signal }];
      try {
        write(path, { file: fileOf(directory), crashes });
      } catch {
        // A directory that takes no file, or is gone: this process still counts.
      }
    },
    forget() {
      crashes = [];
      rmSync(path, { force: true });
    },
  };
}

/** What changes when another file takes the place of the store's, or somebody writes it. */
function fileOf(directory: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(join(directory, DATA_FILE));
    return `${dev}:${ino}:${size}:${mtimeMs}`;
  } catch {
    return ""; // there is none, or opening it says what is wrong
  }
}

function write(path: string, record: { readonly file: string; readonly crashes: readonly Crash[] }): void {
  writeFileSync(`${path}.partial`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

/** None when there is no record, it cannot be read, or it is of another file and final. */
function read(path: string, file: string): readonly Crash[] {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return []; // no record, or one that a full disk cut short: the crashes to come are counted anew
  }
  if (typeof found !== "object" || found === null || !("crashes" in found) || !Array.isArray(found.crashes)) return [];
  const crashes = found.crashes.filter(isCrash);
  const isOfAnother = !("file" in found) || found.file !== file;
  return crashes.length >= MAX_CRASHES && isOfAnother ? [] : crashes;
}

function isCrash(found: unknown): found is Crash {
  return (
    typeof found === "object" &&
    found !== null &&
    "at" in found &&
    typeof found.at === "number" &&
    "signal" in found &&
    typeof found.signal === "string"
  );
}
