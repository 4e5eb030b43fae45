/** Records, beside an embedded store, which processes were killed by a signal while they had it open. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Signals by which LMDB ends a process that reads a damaged tree. */
const CRASHES: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);
/** So many crashes … */
const MAX_CRASHES = 3;
/** … in this time, and the store is no longer opened. */
const WITHIN_MS = 10 * 60_000;

const RECORD = "crashes.json";
const DATA_FILE = "data.mdb";

interface Crash {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly signal: string;
}

export interface CrashRecord {
  /** Why the store must not be opened; undefined when it may. */
  refusal(): string | undefined;
  /** Records how a process ended. */
  note(signal: string | null): void;
  /** The store may be opened again. */
  forget(): void;
}

/**
 * The record is stored beside the store, because a supervisor that restarts the server would repeat the crashes. It
 * applies to the file as the last crash left it: a restored backup may be opened.
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
        // A directory that is read-only or gone: this process still counts in memory.
      }
    },
    forget() {
      crashes = [];
      rmSync(path, { force: true });
    },
  };
}

/** Changes when the store's file is replaced or written. */
function fileOf(directory: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(join(directory, DATA_FILE));
    return `${dev}:${ino}:${size}:${mtimeMs}`;
  } catch {
    return ""; // there is none, or opening it reports the fault
  }
}

function write(path: string, record: { readonly file: string; readonly crashes: readonly Crash[] }): void {
  writeFileSync(`${path}.partial`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

/** Empty when there is no record, it cannot be read, or it is final and about another file. */
function read(path: string, file: string): readonly Crash[] {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return []; // no record, or one truncated by a full disk: later crashes are counted from zero
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
