import { type BigIntStats, statSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../domain/errors.js";
import { DATA_FILE } from "./files.js";

/** The open file is no longer in the store's directory, so further writes would be lost. */
export class StoreFileChanged extends Unavailable {
  constructor(what: string) {
    super(`Somebody ${what} ${DATA_FILE} while the store was open; nothing more is written until it is opened anew`);
  }
}

/**
 * Detects that the file of an open store was moved, removed, replaced or overwritten. The process could still write to it, and
 * its acknowledged writes would be lost when it ends.
 */
export class OpenFile {
  private readonly opened: BigIntStats | undefined;
  /** Size when last checked. LMDB never shrinks the file. */
  private bytes: bigint;
  /** Number of the newest commit when last checked. */
  private commit = 0;

  /** Call it when the file has just been opened. `newestCommit` reads the number from the file. */
  constructor(
    private readonly directory: string,
    private readonly newestCommit: () => number,
  ) {
    this.opened = this.found();
    this.bytes = this.opened?.size ?? 0n;
  }

  /** Throws StoreFileChanged. */
  check(): void {
    const found = this.found();
    if (found === undefined) throw new StoreFileChanged("moved or removed");
    if (found.ino !== this.opened?.ino || found.dev !== this.opened.dev) throw new StoreFileChanged("replaced");
    const commit = this.newestCommit();
    if (found.size < this.bytes || commit < this.commit) throw new StoreFileChanged("overwrote");
    this.bytes = found.size;
    this.commit = commit;
  }

  private found(): BigIntStats | undefined {
    return statSync(join(this.directory, DATA_FILE), { throwIfNoEntry: false, bigint: true });
  }
}
