import type { RootDatabase } from "lmdb";
import type { Key } from "./keys.js";

/** A read transaction that lasts until it is ended. Meanwhile LMDB reuses none of the pages that it can see. */
export type ReadTransaction = ReturnType<RootDatabase["useReadTransaction"]>;

/** Decides which commit of an open store its tables see. */
export class Transactions {
  /** True once the store was closed. */
  closed = false;
  /** Of the surrounding snapshot. */
  private snapshotOf: ReadTransaction | undefined;
  private isWriting = false;

  /** `onDamage` is called with the table's name for each damaged value. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    readonly onDamage: (table: string) => void = () => undefined,
  ) {}

  /**
   * The transaction of the next read: that of a surrounding snapshot; undefined for the newest commit, or within a write
   * transaction. lmdb-js keeps a snapshot until the next turn of the event loop, and a reader may hear of a write before that,
   * so each read begins anew (half a microsecond).
   */
  ofNextRead(): ReadTransaction | undefined {
    if (!this.isWriting && this.snapshotOf === undefined) this.root.resetReadTxn();
    return this.snapshotOf;
  }

  /** Keeps the newest commit until its `done` is called. */
  keep(): ReadTransaction {
    this.root.resetReadTxn();
    return this.root.useReadTransaction();
  }

  /** Runs `body` with all its reads on one commit, the newest; within another snapshot or a write transaction on that one. */
  snapshot<R>(body: () => R): R {
    if (this.isWriting || this.snapshotOf !== undefined || this.closed) return body();
    const transaction = this.keep();
    this.snapshotOf = transaction;
    try {
      return body();
    } finally {
      this.snapshotOf = undefined;
      transaction.done();
    }
  }

  /** Runs `body` in a write transaction, at once; writes nothing when it throws. */
  write<R>(body: () => R): R {
    return this.root.transactionSync(() => this.writing(body));
  }

  /**
   * The same, queued behind other transactions; resolves when its writes are on disk. Nested, because lmdb-js commits a plain
   * one even when its callback throws.
   */
  async transact(body: () => void): Promise<void> {
    try {
      await this.root.childTransaction(() => this.writing(body));
    } catch (error) {
      throw await commitCause(error);
    }
  }

  private writing<R>(body: () => R): R {
    this.isWriting = true;
    try {
      return body();
    } finally {
      this.isWriting = false;
    }
  }
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
