import type { RootDatabase } from "lmdb";
import type { Key } from "./keys.js";

/** A read transaction that lasts until it is ended. Meanwhile LMDB reuses none of the pages that it can see. */
export type ReadTransaction = ReturnType<RootDatabase["useReadTransaction"]>;

/** Decides which commit of an open store its tables see. */
export class Transactions {
  /** True once the store was closed. */
  closed = false;
  private isWriting = false;

  /** `onDamage` is called with the table's name for each damaged value. */
  constructor(
    private readonly root: RootDatabase<Uint8Array, Key>,
    readonly onDamage: (table: string) => void = () => undefined,
  ) {}

  /**
   * Before each read: begins anew, on the newest commit, unless a write transaction is under way. lmdb-js keeps its snapshot until
   * the next turn of the event loop, and a reader may hear of a write before that. It takes half a microsecond.
   */
  beginRead(): void {
    if (!this.isWriting) this.root.resetReadTxn();
  }

  /** Keeps the newest commit until its `done` is called. */
  keep(): ReadTransaction {
    this.root.resetReadTxn();
    return this.root.useReadTransaction();
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
