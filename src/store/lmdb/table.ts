import { DataDamaged, InvalidArgument, Unavailable } from "../../domain/errors.js";
import { checkBytes, decode, encode, type RecordCodec } from "./codec.js";
import { TableInspection } from "./inspection.js";
import { checkKey, fits, type Key, keyOrder, MAX_KEY_BYTES } from "./keys.js";
import type { ReadTransaction, Transactions } from "./transactions.js";

/** Keys from `start` up to, not including, `end`. */
export interface Range {
  readonly start: Key;
  readonly end: Key;
  readonly limit?: number;
}

/** Decoded values that one table keeps: at most this many, of at most so many bytes each. */
const MAX_KEPT = 1000;
const MAX_KEPT_BYTES = 16 * 1024;

/** What all tables of one open store share. */
export type TableContext = Pick<Transactions, "closed" | "beginRead" | "onDamage">;

/** The transaction of a read; the current one where there is none. */
interface ReadIn {
  readonly transaction?: ReadTransaction;
}

/** An entry as it is stored. The bytes may change when the next one is asked for. */
export interface StoredEntry {
  readonly key: Key;
  readonly value: Uint8Array;
}

/** What a table needs of its database in LMDB; tests simulate it. */
export interface TableData {
  getBinaryFast(key: Key): Uint8Array | undefined;
  get(key: Key, options: ReadIn): Uint8Array | undefined;
  getRange(range: Range & ReadIn & { readonly reverse?: boolean }): Iterable<StoredEntry>;
  put(key: Key, bytes: Uint8Array): unknown;
  remove(key: Key): unknown;
}

export interface Entry<T> {
  readonly key: Key;
  readonly value: T;
}

/**
 * Records of one kind by key. Reads see the newest commit, or what the surrounding `transact` sees. A damaged
 * value throws DataDamaged and is counted; no read returns or skips it. LMDB has no checksums of its pages: a record that a
 * damaged page hides reads as absent, until a verification, a backup or a migration counts the entries.
 */
export class Table<T> {
  /** What `getKept` returned last, the least recently added first. */
  private readonly kept = new Map<Key, { readonly bytes: Buffer; readonly value: T }>();

  constructor(
    readonly name: string,
    private readonly db: TableData,
    private readonly codec: RecordCodec<T>,
    private readonly context: TableContext,
  ) {}

  /** The same table with another codec, to read an earlier format. */
  as<U>(codec: RecordCodec<U>): Table<U> {
    return new Table(this.name, this.db, codec, this.context);
  }

  get(key: Key): T | undefined {
    this.beginRead();
    if (!fits(key)) return undefined;
    try {
      const bytes = this.db.getBinaryFast(key);
      return bytes === undefined ? undefined : decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      throw this.readError(error);
    }
  }

  /** As `get`, for a record that most requests read: it is decoded again only when its bytes have changed. */
  getKept(key: Key): T | undefined {
    this.beginRead();
    if (!fits(key)) return undefined;
    try {
      const bytes = this.db.getBinaryFast(key);
      if (bytes === undefined) return undefined;
      const known = this.kept.get(key);
      if (known?.bytes.compare(bytes, 0, bytes.length) === 0) return known.value;
      const value = decode(this.codec, key, bytes, bytes.length);
      this.keep(key, bytes, value);
      return value;
    } catch (error) {
      throw this.readError(error);
    }
  }

  private keep(key: Key, bytes: Uint8Array, value: T): void {
    this.kept.delete(key);
    if (bytes.length > MAX_KEPT_BYTES) return;
    this.kept.set(key, { bytes: Buffer.from(bytes.subarray(0, bytes.length)), value });
    if (this.kept.size > MAX_KEPT) for (const oldest of this.kept.keys()) if (this.kept.delete(oldest)) break;
  }

  /** Entries from `start` up to, not including, `end`, in order of keys. */
  entries(range: Range): Entry<T>[] {
    const found: Entry<T>[] = [];
    this.each(range, (key, value) => {
      found.push({ key, value });
      return true;
    });
    return found;
  }

  /** Visits entries in order of keys until `visit` answers false, all in one snapshot. `visit` must not throw. */
  each(range: Range, visit: (key: Key, value: T) => boolean): void {
    const within = this.within(range);
    let last: Key = "";
    try {
      for (const { key, value } of this.db.getRange(within)) {
        mustRise(last, key);
        last = key;
        if (!visit(key, decode(this.codec, key, value, value.length))) return;
      }
    } catch (error) {
      throw this.readError(error);
    }
  }

  /** Entries below `end`, from the greatest key down to `start`. */
  backwards(range: Range): Entry<T>[] {
    const { end, limit } = range;
    const within = this.backwardsWithin(range);
    const found: Entry<T>[] = [];
    if (limit === 0) return found;
    let last = end;
    try {
      for (const { key, value } of this.db.getRange(within)) {
        if (last === end && keyOrder(key, end) >= 0) continue; // LMDB starts at `end` itself when that key exists
        mustRise(key, last);
        last = key;
        found.push({ key, value: decode(this.codec, key, value, value.length) });
        if (found.length === limit) break;
      }
    } catch (error) {
      throw this.readError(error);
    }
    return found;
  }

  /** The greatest key below `end`; its value is not looked at. */
  lastKey(range: Range): Key | undefined {
    const within = this.backwardsWithin(range);
    try {
      for (const { key } of this.db.getRange(within)) if (keyOrder(key, range.end) < 0) return key;
      return undefined;
    } catch (error) {
      throw this.readError(error);
    }
  }

  /** Keys from `start` up to, not including, `end`; the values are not looked at. */
  keys(range: Range): Key[] {
    const within = this.within(range);
    try {
      const found: Key[] = [];
      for (const { key, value } of this.db.getRange(within)) {
        mustRise(found.at(-1) ?? "", key);
        checkBytes(key, value, value.length);
        found.push(key);
      }
      return found;
    } catch (error) {
      throw this.readError(error);
    }
  }

  private within(range: Range): Range {
    this.beginRead();
    if (fits(range.start) && fits(range.end)) return range;
    throw new InvalidArgument("after", "invalid", `at most ${MAX_KEY_BYTES} bytes`);
  }

  /** From `end` down to `start`. The caller counts, since LMDB begins at `end` itself when that key exists. */
  private backwardsWithin(range: Range): Range & { readonly reverse: true } {
    const { start, end } = this.within(range);
    return { start: end, end: start, reverse: true };
  }

  /** The bytes to store under the key. Throws InvalidArgument for a key or a value that is too long. */
  encode(key: Key, value: T): Buffer {
    checkKey(key);
    const bytes = encode(this.codec, key, value);
    if (bytes.length > MAX_RECORD_BYTES) throw recordTooLarge();
    return bytes;
  }

  /** The table as `transaction` sees it, for `verifyStore`. */
  inspect(transaction: ReadTransaction, count: number): TableInspection<T> {
    return new TableInspection(this.db, this.codec, transaction, count);
  }

  /** Only within a write transaction, as `removeNow`. */
  putNow(key: Key, bytes: Buffer): void {
    void this.db.put(key, bytes);
  }

  removeNow(key: Key): void {
    if (fits(key)) void this.db.remove(key); // LMDB fails the whole transaction for a longer one, and it is not there
  }

  private beginRead(): void {
    if (this.context.closed) throw new Unavailable("The store is closed");
    this.context.beginRead();
  }

  /** The error for any failure to read a value: its checksum, layout or tree. Unavailable once LMDB has given up. */
  private readError(cause: unknown): DataDamaged | Unavailable {
    if (cause instanceof Error && cause.message.includes(GIVEN_UP)) {
      return new Unavailable("The store rejects reads because a write failed; restart the process", 30_000, { cause });
    }
    this.context.onDamage(this.name);
    return new DataDamaged(`A value in the table ${this.name} is damaged`, { cause });
  }
}

/** LMDB's error text once writing its root failed: the environment then reads nothing more. The error's code is EINVAL. */
const GIVEN_UP = "MDB_PANIC";

/** A damaged tree can contain cycles; a scan of it must still end. */
function mustRise(lower: Key, higher: Key): void {
  if (lower < higher) return; // the order of UTF-16 and that of UTF-8 differ only above the surrogates
  if (keyOrder(lower, higher) >= 0) throw new DataDamaged("Stored keys are out of order");
}

/** A document of MongoDB holds 16 MiB. Both stores keep to the limit, so that an app can move from one to the other. */
const MAX_RECORD_BYTES = 15_000_000;

function recordTooLarge(): InvalidArgument {
  return new InvalidArgument("record", "invalid", `at most ${MAX_RECORD_BYTES / 1e6} MB`);
}
