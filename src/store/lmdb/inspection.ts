import { setImmediate } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { DataDamaged } from "../../domain/errors.js";
import { checkBytes, decode, type RecordCodec } from "./codec.js";
import type { KeptCommit } from "./commits.js";
import type { Key } from "./keys.js";
import { openDatabase, openRoot } from "./open-root.js";
import type { PageView } from "./pages/page-view.js";
import type { Table, TableData } from "./table.js";

/** A read transaction that lasts until it is ended. Meanwhile LMDB reuses none of the pages that it can see. */
export type ReadTransaction = ReturnType<RootDatabase["useReadTransaction"]>;

/** An entry of a scan. */
export interface InspectedEntry<T> {
  readonly key: Key;
  /** Undefined when it is damaged. */
  readonly value: T | undefined;
}

/** A table as of one commit. Unlike `Table`, its reads continue after a damaged value and do not report it. */
export class TableInspection<T> {
  constructor(
    private readonly name: string,
    private readonly db: Pick<TableData, "get">,
    private readonly codec: RecordCodec<T>,
    private readonly transaction: ReadTransaction,
    private readonly view: PageView,
  ) {}

  /** Throws DataDamaged when a page is damaged, or the number of entries differs from LMDB's count. */
  *entries(): Generator<InspectedEntry<T>> {
    for (const { key, value } of this.view.all(this.name)) yield { key, value: this.decode(key, value) };
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

/** Bytes written in one transaction of a copy: some ten milliseconds of work. */
const COPIED_AT_ONCE = 2 ** 22;

/**
 * Copies tables entry by entry, byte for byte. LMDB's own compacting copy drops unused pages but copies the others whole.
 * Their free space still holds erased records (1 to 2 % of them, measured).
 *
 * Yields regularly to let other work run. Throws DataDamaged when an entry is missing or damaged.
 */
export function* copyEntries(
  view: PageView,
  names: Iterable<string>,
  copy: RootDatabase<Uint8Array, Key>,
  openTable: (name: string) => Database<Uint8Array, Key>,
  isLeftOut: (table: string, key: Key) => boolean = () => false,
): Generator<void> {
  for (const name of names) {
    const to = openTable(name);
    const entries = view.all(name);
    for (let isDone = false; !isDone; ) {
      copy.transactionSync(() => {
        for (let bytes = 0; bytes < COPIED_AT_ONCE; ) {
          const next = entries.next();
          if (next.done === true) {
            isDone = true;
            return;
          }
          const { key, value } = next.value;
          checkBytes(key, value, value.length);
          if (!isLeftOut(name, key)) to.putSync(key, value);
          bytes += key.length + value.length;
        }
      });
      yield;
    }
  }
}

/** All tables as of one commit, until `end`. */
export interface Inspection {
  of<T>(table: Table<T>): TableInspection<T>;
  /** Rejects with DataDamaged when any of it is damaged. */
  check(): Promise<void>;
  /** Writes all of it into an empty directory; see `copyEntries`. */
  copyTo(directory: string): Promise<void>;
  end(): void;
}

/** An inspection of a kept commit with the tables `names`. */
export function inspectionOf({ transaction, view }: KeptCommit, names: Iterable<string>): Inspection {
  return {
    of: (table) => table.inspect(transaction, view),
    check: async () => {
      for (const _ of view.check()) await setImmediate();
    },
    copyTo: async (directory) => {
      const copy = openRoot(directory, false);
      try {
        const open = (name: string) => openDatabase(copy, name);
        for (const _ of copyEntries(view, names, copy, open)) await setImmediate();
      } finally {
        await copy.close();
      }
    },
    end: () => transaction.done(),
  };
}
