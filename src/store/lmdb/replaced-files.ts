import { type BigIntStats, fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";
import { DATA_FILE, LOCK_FILE } from "./store-file.js";

/** The files that now have the store's file names; undefined when missing. */
export interface StoreFiles {
  readonly data: BigIntStats | undefined;
  readonly lock: BigIntStats | undefined;
}

/** With `dataFile`, the descriptor of an open data file, that one instead of the one with its name. */
export function filesOf(directory: string, dataFile?: number): StoreFiles {
  const data = dataFile === undefined ? statOf(directory, DATA_FILE) : fstatSync(dataFile, { bigint: true });
  return { data, lock: statOf(directory, LOCK_FILE) };
}

export function isSameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** The open files are no longer in the store's directory, so further writes would be lost. */
export class StoreFilesChanged extends Unavailable {
  constructor(what: string) {
    super(`Somebody ${what} while the store was open; nothing more is written until it is opened anew`);
  }
}

/**
 * Detects that the files of an open store were moved, removed, replaced or overwritten. A process that has them open could
 * still read and write them, and its acknowledged writes would be lost when it ends.
 */
export class StoreNames {
  /** Size when last checked. LMDB never shrinks the file. */
  private bytes: bigint;

  /** `opened`: the files that are open. */
  constructor(
    private readonly directory: string,
    private readonly opened: StoreFiles,
  ) {
    this.bytes = opened.data?.size ?? 0n;
  }

  /** Throws StoreFilesChanged. */
  check(): void {
    const { data, lock } = filesOf(this.directory);
    this.mustBeSame(DATA_FILE, this.opened.data, data);
    this.mustBeSame(LOCK_FILE, this.opened.lock, lock);
    const bytes = data?.size ?? 0n;
    if (bytes < this.bytes) throw new StoreFilesChanged(`overwrote ${DATA_FILE}`);
    this.bytes = bytes;
  }

  private mustBeSame(name: string, opened: BigIntStats | undefined, found: BigIntStats | undefined): void {
    if (isSameFile(opened, found)) return;
    const how = found === undefined ? "moved or removed" : "replaced";
    throw new StoreFilesChanged(`${how} ${name}`);
  }
}

function statOf(directory: string, name: string): BigIntStats | undefined {
  return statSync(join(directory, name), { throwIfNoEntry: false, bigint: true });
}
