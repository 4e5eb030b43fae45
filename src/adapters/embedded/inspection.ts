import { setImmediate } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { DataDamaged, Unavailable } from "../../domain/errors.js";
import { decode, type RecordCodec } from "./codec.js";
import { FIRST, type Key, keyOrder, LAST } from "./keys.js";

/** A read transaction that lasts until it is told to end; meanwhile no page it can see is used again. */
export type ReadTransaction = ReturnType<RootDatabase["useReadTransaction"]>;

/** An entry as a scan meets it. */
export interface InspectedEntry<T> {
  readonly key: Key;
  /** Undefined when it is damaged. */
  readonly value: T | undefined;
  /** False when the key is not greater than the one before. */
  readonly isInOrder: boolean;
}

/** A table as one commit left it. Unlike a table's own reads these go on after damage, and nobody is told of it. */
export class TableInspection<T> {
  constructor(
    private readonly db: Database<Uint8Array, Key>,
    private readonly codec: RecordCodec<T>,
    private readonly transaction: ReadTransaction,
    /** Entries by LMDB's own count. */
    readonly count: number,
  ) {}

  /** May throw whatever LMDB finds on its way. In a damaged tree it may lead in circles. */
  *entries(): Generator<InspectedEntry<T>> {
    let last: Key | undefined;
    const everything = { start: FIRST, end: LAST, transaction: this.transaction };
    for (const { key, value } of this.db.getRange(everything)) {
      yield { key, value: this.decode(key, value), isInOrder: last === undefined || keyOrder(last, key) < 0 };
      last = key;
    }
  }

  /** Undefined when it is not found; `damaged` when it is and cannot be read. */
  get(key: Key): { readonly value: T } | "damaged" | undefined {
    try {
      const bytes = this.db.get(key, { transaction: this.transaction });
      if (bytes === undefined) return undefined;
      const value = this.decode(key, bytes);
      return value === undefined ? "damaged" : { value };
    } catch {
      return "damaged";
    }
  }

  private decode(key: Key, bytes: Uint8Array): T | undefined {
    try {
      return decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      if (error instanceof DataDamaged || error instanceof Error) return undefined; // what a codec makes of other bytes
      throw error;
    }
  }
}

const TRIES = 100;

/** Begins to read the newest commit, with the counts that LMDB keeps in it. */
export function beginInspection(
  root: RootDatabase<Uint8Array, Key>,
  databases: ReadonlyMap<string, Database<Uint8Array, Key>>,
): { readonly transaction: ReadTransaction; readonly counts: ReadonlyMap<string, number> } {
  // The counts are of the newest commit as well, unless one came in between.
  for (let n = 0; n < TRIES; n++) {
    root.resetReadTxn();
    const before = statistic(root, "lastTxnId");
    const transaction = root.useReadTransaction();
    const counts = new Map<string, number>();
    for (const [name, database] of databases) counts.set(name, statistic(database, "entryCount"));
    if (statistic(root, "lastTxnId") === before) return { transaction, counts };
    transaction.done();
  }
  throw new Unavailable("The store is written too often to be inspected");
}

/** Bytes written in one transaction of a copy: some ten milliseconds of work. */
const COPIED_AT_ONCE = 2 ** 22;

/**
 * Copies databases entry by entry, bytes as they are. LMDB's own compacting copy leaves unused pages out but takes the
 * others as they are, with the remains of erased records in their free space (1 to 2 % of them, measured).
 */
export async function copyEntries(
  pairs: readonly (readonly [from: Database<Uint8Array, Key>, to: Database<Uint8Array, Key>])[],
  copy: RootDatabase<Uint8Array, Key>,
  transaction: ReadTransaction,
): Promise<void> {
  for (const [from, to] of pairs) {
    const entries = from.getRange({ start: FIRST, end: LAST, transaction })[Symbol.iterator]();
    for (let isDone = false; !isDone; await setImmediate()) {
      copy.transactionSync(() => {
        for (let bytes = 0; bytes < COPIED_AT_ONCE; ) {
          const next = entries.next();
          if (next.done === true) {
            isDone = true;
            return;
          }
          const { key, value } = next.value;
          to.putSync(key, value);
          bytes += key.length + value.length;
        }
      });
    }
  }
}

function statistic(database: Database<Uint8Array, Key>, name: string): number {
  const value: unknown = Reflect.get(database.getStats(), name);
  if (typeof value !== "number") throw new DataDamaged("LMDB knows no statistics of a table");
  return value;
}
