import { closeSync } from "node:fs";
import type { RootDatabase } from "lmdb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import type { ReadTransaction } from "./inspection.js";
import { FIRST, type Key } from "./keys.js";
import type { NewestCommit } from "./newest-commit.js";
import type { PageFile } from "./pages/page-file.js";
import { PageView } from "./pages/page-view.js";

/** A commit whose pages stay unchanged until its read transaction ends. */
export interface KeptCommit {
  readonly transaction: ReadTransaction;
  readonly view: PageView;
}

const TRIES = 100;

/** Decides which commit of an open store reads see. */
export class Commits {
  private snapshot: PageView | undefined;
  private latest: PageView | undefined;
  private isWriting = false;

  /** `file` is the data file of the store open as `root`; `close` closes it. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    private readonly newest: NewestCommit,
    private readonly file: PageFile,
  ) {}

  /** The current snapshot, otherwise the newest commit. Valid until the next turn of the event loop. */
  view(): PageView | undefined {
    if (this.isWriting) return undefined; // the pages of a write transaction are not in the file yet
    if (this.snapshot !== undefined) return this.snapshot;
    this.root.get(FIRST); // begins a read transaction of LMDB, which keeps the pages from being written anew
    if (this.latest === undefined || !this.newest.isNewest(this.latest.head.transaction)) this.latest = this.current();
    return this.latest;
  }

  /** The newest commit, for a write transaction or a caller that reads it at once. */
  current(): PageView {
    return new PageView(this.file, this.isWriting ? this.newest.headBelow(this.file) : this.newest.head(this.file));
  }

  /** Keeps the newest commit. */
  keep(): KeptCommit {
    for (let n = 0; n < TRIES; n++) {
      this.root.resetReadTxn();
      const view = this.current();
      const transaction = this.root.useReadTransaction();
      if (this.newest.head(this.file).transaction === view.head.transaction) return { transaction, view };
      transaction.done();
    }
    throw new Unavailable("Too many writes to inspect the store");
  }

  /** Runs `body` of a write transaction. */
  write<R>(body: () => R): R {
    this.isWriting = true;
    try {
      return body();
    } finally {
      this.isWriting = false;
    }
  }

  /** Runs `body` with all its reads on one commit, the newest. */
  read<R>(body: () => R): R {
    const { transaction, view } = this.keep();
    this.snapshot = view;
    try {
      return body();
    } finally {
      this.snapshot = undefined;
      transaction.done();
    }
  }

  close(): void {
    closeSync(this.file.fd);
  }
}

/**
 * LMDB creates a table when it does not find its name, so a table with a damaged name would silently read as empty. `found`
 * are the tables that existed before opening, `known` are this version's tables. A store in the current format has them all.
 */
export function mustHaveItsTables(
  found: ReadonlyMap<string, unknown>,
  known: Iterable<string>,
  isNewest: boolean,
): void {
  const names = new Set(known);
  for (const name of found.keys()) {
    if (!names.has(name)) throw new DataDamaged("The store has a table of an unknown name");
  }
  for (const name of names) {
    if (isNewest && !found.has(name)) throw new DataDamaged(`The store has lost its table ${name}`);
  }
}

/** Why a commit failed: lmdb-js rejects with an error that has the cause behind a promise. */
export async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
