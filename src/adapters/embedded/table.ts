import type { Database } from "lmdb";
import { DataDamaged, InvalidArgument, Unavailable } from "../../domain/errors.js";
import { decode, encode, type RecordCodec } from "./codec.js";
import { type ReadTransaction, TableInspection } from "./inspection.js";
import { fits, type Key, keyOrder, MAX_KEY_BYTES } from "./keys.js";

/** What all tables of one open store share. */
export interface TableContext {
  /** Told of each damaged value, with the name of its table. */
  readonly onDamage: (table: string) => void;
  /** True once the store was closed. */
  closed: boolean;
  /** True while reads stay with one transaction: that of a write, or a snapshot. */
  pinned: boolean;
}

export interface Entry<T> {
  readonly key: Key;
  readonly value: T;
}

export interface Range {
  readonly start: Key;
  readonly end: Key;
  readonly limit?: number;
}

/**
 * Records of one kind by key. Reads see the newest commit, or within `transact` and `snapshot` what that one sees.
 * A damaged value throws DataDamaged and is counted; it is neither answered nor passed over.
 */
export class Table<T> {
  constructor(
    readonly name: string,
    private readonly db: Database<Uint8Array, Key>,
    private readonly codec: RecordCodec<T>,
    private readonly context: TableContext,
  ) {}

  get(key: Key): T | undefined {
    this.beginRead();
    if (!fits(key)) return undefined;
    try {
      const bytes = this.db.getBinaryFast(key);
      return bytes === undefined ? undefined : decode(this.codec, key, bytes, bytes.length);
    } catch (error) {
      throw this.damaged(error);
    }
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
    this.beginRead();
    const within = checked(range);
    let last: Key = "";
    try {
      for (const { key, value } of this.db.getRange(within)) {
        mustRise(last, key);
        last = key;
        if (!visit(key, decode(this.codec, key, value, value.length))) return;
      }
    } catch (error) {
      throw this.damaged(error);
    }
  }

  /** Entries below `end`, from the greatest key down to `start`. */
  backwards(range: Range): Entry<T>[] {
    this.beginRead();
    const { start, end, limit } = checked(range);
    const found: Entry<T>[] = [];
    if (limit === 0) return found;
    let last = end;
    try {
      for (const { key, value } of this.db.getRange({ start: end, end: start, reverse: true })) {
        if (last === end && keyOrder(key, end) >= 0) continue; // where LMDB begins when `end` itself is there
        mustRise(key, last);
        last = key;
        found.push({ key, value: decode(this.codec, key, value, value.length) });
        if (found.length === limit) break;
      }
    } catch (error) {
      throw this.damaged(error);
    }
    return found;
  }

  /** Keys from `start` up to, not including, `end`; the values are not looked at. */
  keys(range: Range): Key[] {
    this.beginRead();
    const within = checked(range);
    try {
      const found: Key[] = [];
      for (const key of this.db.getKeys(within)) {
        mustRise(found.at(-1) ?? "", key);
        found.push(key);
      }
      return found;
    } catch (error) {
      throw this.damaged(error);
    }
  }

  /** The bytes to store under the key. Throws InvalidArgument for a key that cannot be stored. */
  encode(key: Key, value: T): Buffer {
    if (key.endsWith("\0")) throw new InvalidArgument("id", "missing");
    if (!fits(key)) throw new InvalidArgument("id", "invalid", `at most ${MAX_KEY_BYTES} bytes with its owner`);
    return encode(this.codec, key, value);
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
    void this.db.remove(key);
  }

  /**
   * lmdb-js keeps a snapshot until the event loop has come round. A reader that was told of a write in another thread
   * or process may ask sooner, so each read begins a new one (half a microsecond).
   */
  private beginRead(): void {
    if (this.context.closed) throw new Unavailable("The store is closed");
    if (!this.context.pinned) this.db.resetReadTxn();
  }

  /** Whatever goes wrong while a value is read: its checksum, its layout, or the tree around it; unless LMDB reads no more. */
  private damaged(cause: unknown): DataDamaged | Unavailable {
    if (cause instanceof Error && cause.message.includes(GIVEN_UP)) {
      return new Unavailable("The store is not read since a write failed; it must be opened anew", 30_000, { cause });
    }
    this.context.onDamage(this.name);
    return new DataDamaged(`A value in the table ${this.name} is damaged`, { cause });
  }
}

/** When the write of its root fails LMDB gives the environment up: it reads nothing more. The code beside this text is EINVAL. */
const GIVEN_UP = "MDB_PANIC";

function checked(range: Range): Range {
  if (fits(range.start) && fits(range.end)) return range;
  throw new InvalidArgument("after", "invalid", `at most ${MAX_KEY_BYTES} bytes`);
}

/** A damaged tree can lead in circles; a scan of it must end. */
function mustRise(lower: Key, higher: Key): void {
  if (lower < higher) return; // the order of UTF-16 and that of UTF-8 differ only above the surrogates
  if (keyOrder(lower, higher) >= 0) throw new DataDamaged("Stored keys are out of order");
}
