import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Database } from "lmdb";
import { DataDamaged } from "../../domain/errors.js";
import { checkBytes, decode, type RecordCodec } from "./codec.js";
import { DATA_FILE } from "./files.js";
import { FIRST, type Key, keyOrder, LAST } from "./keys.js";
import { entryCount, openDatabase, openRoot } from "./open-root.js";
import type { Table, TableData } from "./table.js";
import type { ReadTransaction } from "./transactions.js";

/** An entry of a scan. */
export interface InspectedEntry<T> {
  readonly key: Key;
  /** Undefined when it is damaged. */
  readonly value: T | undefined;
}

/** A table as of one commit. Unlike `Table`, its reads continue after a damaged value and do not report it. */
export class TableInspection<T> {
  constructor(
    private readonly db: Pick<TableData, "get" | "getRange">,
    private readonly codec: RecordCodec<T>,
    private readonly transaction: ReadTransaction,
    private readonly count: number,
  ) {}

  /** Throws DataDamaged when keys are out of order, or the number of entries differs from LMDB's count. */
  *entries(): Generator<InspectedEntry<T>> {
    for (const { key, value } of allEntries(this.db, this.transaction, this.count))
      yield { key, value: this.decode(key, value) };
  }

  /** Undefined when the key is absent; `damaged` when its value cannot be read. */
  get(key: Key): { readonly value: T } | "damaged" | undefined {
    try {
      const bytes = this.db.get(key, { transaction: this.transaction });
      if (bytes === undefined) return undefined;
      const value = this.decode(key, bytes);
      return value === undefined ? "damaged" : { value };
    } catch {
      // the inspection reports it as damaged
      return "damaged";
    }
  }

  private decode(key: Key, bytes: Uint8Array): T | undefined {
    try {
      return decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      if (error instanceof DataDamaged || error instanceof Error) return undefined; // a codec's error on damaged bytes
      throw error;
    }
  }
}

/** All entries of a table in order of keys. Throws DataDamaged unless there are as many as LMDB has counted. */
function* allEntries(
  db: Pick<TableData, "getRange">,
  transaction: ReadTransaction,
  count: number,
): Generator<{ readonly key: Key; readonly value: Uint8Array }> {
  let met = 0;
  let last: Key | undefined;
  for (const { key, value } of db.getRange({ start: FIRST, end: LAST, transaction })) {
    // A damaged tree can contain cycles; a scan of it must still end.
    if (last !== undefined && keyOrder(last, key) >= 0) throw new DataDamaged("Stored keys are out of order");
    last = key;
    met++;
    yield { key, value: value.subarray(0, value.length) }; // lmdb-js reads into one longer buffer
  }
  if (met !== count) throw new DataDamaged(`A table holds ${met} of ${count} entries`);
}

/** Entries between two turns of other work: some milliseconds. */
const CHECKED_AT_ONCE = 1000;
/** Bytes written in one transaction of a copy: some ten milliseconds of work. */
const COPIED_AT_ONCE = 2 ** 22;

/** All tables as of one commit, until `end`. */
export interface Inspection {
  of<T>(table: Table<T>): TableInspection<T>;
  /** Rejects with DataDamaged when any of it is damaged. */
  check(): Promise<void>;
  /**
   * Writes all of it into an empty directory, entry by entry: LMDB's own compacting copy drops unused pages but copies the others
   * whole, and their free space still holds erased records (1 to 2 % of them, measured). Rejects with DataDamaged when an entry is
   * missing or damaged. Answers the path of the data file, which is not synced yet.
   */
  copyTo(directory: string, isLeftOut?: (table: string, key: Key) => boolean): Promise<string>;
  end(): void;
}

/** An inspection of a kept commit; its transaction must have been begun in this turn of the event loop. */
export function inspectionOf(
  transaction: ReadTransaction,
  databases: ReadonlyMap<string, Database<Uint8Array, Key>>,
): Inspection {
  const counts = new Map([...databases].map(([name, database]) => [name, entryCount(database)]));
  const countOf = (name: string) => counts.get(name) ?? 0;
  return {
    of: (table) => table.inspect(transaction, countOf(table.name)),

    check: async () => {
      for (const [name, database] of databases) {
        let n = 0;
        for (const { key, value } of allEntries(database, transaction, countOf(name))) {
          checkBytes(key, value, value.length);
          if (++n % CHECKED_AT_ONCE === 0) await setImmediate();
        }
      }
    },

    copyTo: async (directory, isLeftOut = () => false) => {
      const copy = openRoot(directory, false);
      try {
        for (const [name, database] of databases) {
          const to = openDatabase(copy, name);
          const entries = allEntries(database, transaction, countOf(name));
          const copySome = (): boolean => {
            for (let bytes = 0; bytes < COPIED_AT_ONCE; ) {
              const next = entries.next();
              if (next.done === true) return true;
              const { key, value } = next.value;
              checkBytes(key, value, value.length);
              if (!isLeftOut(name, key)) to.putSync(key, value);
              bytes += key.length + value.length;
            }
            return false;
          };
          while (!copy.transactionSync(copySome)) await setImmediate();
        }
      } finally {
        await copy.close();
      }
      return join(directory, DATA_FILE);
    },

    end: () => transaction.done(),
  };
}
