import { closeSync } from "node:fs";
import type { RootDatabase } from "lmdb";
import { Unavailable } from "../../domain/errors.js";
import type { ReadTransaction } from "./inspection.js";
import { FIRST, type Key } from "./keys.js";
import type { NewestCommit } from "./newest-commit.js";
import type { PageFile } from "./pages/page-file.js";
import type { Tree } from "./pages/page-layout.js";
import { PageView } from "./pages/page-view.js";
import type { StoreNames } from "./replaced-files.js";
import type { TableContext } from "./table.js";

/** A commit whose pages stay unchanged until its read transaction ends. */
export interface KeptCommit {
  readonly transaction: ReadTransaction;
  readonly view: PageView;
}

const TRIES = 100;

/** Decides which commit of an open store its tables see. */
export class Commits implements TableContext {
  closed = false;
  pinned = false;
  private kept: PageView | undefined;
  private latest: PageView | undefined;
  private isWriting = false;

  /** `file` is the data file of the store open as `root`; `close` closes it. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    private readonly newest: NewestCommit,
    private readonly file: PageFile,
    readonly onDamage: (table: string) => void = () => undefined,
  ) {}

  /** The current snapshot, otherwise the newest commit. Valid until the next turn of the event loop. */
  view(): PageView | undefined {
    if (this.isWriting) return undefined; // the pages of a write transaction are not in the file yet
    if (this.kept !== undefined) return this.kept;
    this.root.get(FIRST); // begins a read transaction of LMDB, which keeps the pages from being written anew
    if (this.latest === undefined || !this.newest.isNewest(this.latest.head.transaction)) this.latest = this.current();
    return this.latest;
  }

  /** The trees of all tables in the newest commit, by name. */
  names(): ReadonlyMap<string, Tree> {
    if (this.isWriting) return this.current().names();
    const { transaction, view } = this.keep(); // otherwise commits of another process may reuse the pages meanwhile
    try {
      return view.names();
    } finally {
      transaction.done();
    }
  }

  /** The newest commit, for a caller that holds the write lock or a read transaction: nothing else keeps its pages. */
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

  /** Runs `body` with all its reads on one commit, the newest; within another snapshot or a write transaction on that one. */
  snapshot<R>(body: () => R): R {
    if (this.pinned || this.closed) return body();
    const { transaction, view } = this.keep();
    this.kept = view;
    try {
      return this.pin(body);
    } finally {
      this.kept = undefined;
      transaction.done();
    }
  }

  /** Runs `body` with all its reads in one transaction. */
  pin<R>(body: () => R): R {
    this.pinned = true;
    try {
      return body();
    } finally {
      this.pinned = false;
    }
  }

  close(): void {
    if (!this.closed) closeSync(this.file.fd);
    this.closed = true;
  }
}

/** Runs `body` in a write transaction, see `Environment.transact`. Undefined `names` are those of a store that is only read. */
export function createTransact(commits: Commits, newest: NewestCommit, names: StoreNames | undefined) {
  return async (body: () => void): Promise<void> => {
    try {
      await newest.transact(() => {
        names?.check(); // after a rename others may use new files, which our lock does not protect
        commits.write(() => commits.pin(body));
      });
    } catch (error) {
      throw await commitCause(error);
    }
    names?.check(); // a write counts only in the files that others will open
  };
}

/** Why a commit failed: lmdb-js rejects with an error that has the cause behind a promise. */
async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && "commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
