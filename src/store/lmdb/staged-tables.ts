import { DataDamaged } from "../../domain/errors.js";
import type { Product } from "../../domain/product.js";
import type { Key } from "./keys.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

/** A write of the batch that is being made. */
export interface StagedWrite {
  /** True to apply it as soon as its work ends, false to apply it with the batch. */
  readonly atOnce: boolean;
  /** Encodes the write and returns its size in bytes. */
  keep(): number;
  rollBack(): void;
  apply(): void;
}

/**
 * The writes of one batch, held back until all its works have run. Each work sees the writes of the works before it. When
 * a work throws, its writes are rolled back.
 */
export class Journal {
  /** Number of the current work, so that an entry knows whether it was saved for it. */
  work = 1;
  private touched: StagedWrite[] = [];
  private kept: StagedWrite[] = [];

  touch(write: StagedWrite): void {
    this.touched.push(write);
  }

  /**
   * Adds the writes of a work to the batch and returns their size in bytes; `end` must follow. Throws when a write cannot
   * be stored; then `rollBack` must follow.
   */
  keep(): number {
    let bytes = 0;
    for (const write of this.touched) bytes += write.keep();
    return bytes;
  }

  /** Ends a work that was kept, inside the write transaction. An error here is a fault of the store, not of the work. */
  end(): void {
    for (const write of this.touched) {
      if (write.atOnce) write.apply();
      else this.kept.push(write);
    }
    this.next();
  }

  /** Ends a work and discards its writes. */
  rollBack(): void {
    for (const write of this.touched) write.rollBack();
    this.next();
  }

  /** Makes the writes of the batch, inside the write transaction. */
  apply(): void {
    for (const write of this.kept) write.apply();
  }

  clear(): void {
    this.touched = [];
    this.kept = [];
    this.work++;
  }

  private next(): void {
    this.touched = [];
    this.work++;
  }
}

/** `unknown`: neither read nor written; `clean`: as the table has it; `dirty`: to be written; `applied`: written. */
type State = "unknown" | "clean" | "dirty" | "applied";

class StagedEntry<T> implements StagedWrite {
  readonly atOnce = false;
  state: State = "unknown";
  value: T | undefined;
  private bytes: Buffer | undefined;
  private savedFor = 0;
  private savedState: State = "unknown";
  private savedValue: T | undefined;
  private savedBytes: Buffer | undefined;

  constructor(
    private readonly table: Table<T>,
    private readonly key: Key,
  ) {}

  read(): T | undefined {
    if (this.state === "unknown") {
      this.value = this.table.get(this.key);
      this.state = "clean";
    }
    return this.value;
  }

  write(value: T | undefined, journal: Journal): void {
    if (this.savedFor !== journal.work) {
      this.savedFor = journal.work;
      this.savedState = this.state;
      this.savedValue = this.value;
      this.savedBytes = this.bytes;
      journal.touch(this);
    }
    this.state = "dirty";
    this.value = value;
    this.bytes = undefined;
  }

  keep(): number {
    this.bytes = this.value === undefined ? undefined : this.table.encode(this.key, this.value);
    return this.key.length + (this.bytes?.length ?? 0);
  }

  rollBack(): void {
    this.state = this.savedState;
    this.value = this.savedValue;
    this.bytes = this.savedBytes;
  }

  /** Does nothing the second time: the journal lists an entry once for each work that wrote it. */
  apply(): void {
    if (this.state !== "dirty") return;
    this.state = "applied";
    if (this.bytes !== undefined) this.table.putNow(this.key, this.bytes);
    else this.table.removeNow(this.key);
  }
}

/**
 * A table as the works of a batch see it. Within a batch it reads each record at most once and writes it once, however
 * many works use it.
 *
 * Each batch has a map of its own. V8 links what a map held before `clear` (or before it grew) to what it holds then,
 * for iterators that may be under way: once such a table has been moved to the old generation, it keeps alive those of
 * all later batches, and all they hold, until the next major collection.
 */
export class Staged<T> implements StagedTable<T> {
  private entries = new Map<Key, StagedEntry<T>>();

  constructor(
    readonly table: Table<T>,
    private readonly journal: Journal,
  ) {}

  get(key: Key): T | undefined {
    return this.entry(key).read();
  }

  put(key: Key, value: T): void {
    this.entry(key).write(value, this.journal);
  }

  delete(key: Key): void {
    this.entry(key).write(undefined, this.journal);
  }

  /** The writes of the batch, once applied; undefined for a removed record. */
  *written(): Iterable<readonly [Key, T | undefined]> {
    for (const [key, entry] of this.entries) if (entry.state === "applied") yield [key, entry.value];
  }

  /** The keys the works of the batch have written, before it is applied. */
  *toWrite(): Iterable<Key> {
    for (const [key, entry] of this.entries) if (entry.state === "dirty") yield key;
  }

  clear(): void {
    if (this.entries.size > 0) this.entries = new Map();
  }

  private entry(key: Key): StagedEntry<T> {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = new StagedEntry<T>(this.table, key);
      this.entries.set(key, entry);
    }
    return entry;
  }
}

/**
 * A table whose records works rarely read or write twice. Each write goes into the transaction as soon as its work ends,
 * which frees the memory of the record and its bytes before the batch ends. Most works write one record, or none.
 */
class StagedAppends<T> implements StagedTable<T>, StagedWrite {
  readonly atOnce = true;
  /** The writes of the current work, without values for removed records. Of one key the last counts. */
  private keys: Key[] = [];
  private values: (T | undefined)[] = [];
  private bytes: (Buffer | undefined)[] = [];

  constructor(
    readonly table: Table<T>,
    private readonly journal: Journal,
  ) {}

  get(key: Key): T | undefined {
    const at = this.keys.lastIndexOf(key);
    return at < 0 ? this.table.get(key) : this.values[at];
  }

  put(key: Key, value: T | undefined): void {
    if (this.keys.length === 0) this.journal.touch(this);
    this.keys.push(key);
    this.values.push(value);
  }

  delete(key: Key): void {
    this.put(key, undefined);
  }

  clear(): void {
    if (this.keys.length === 0) return;
    this.keys = [];
    this.values = [];
    this.bytes = [];
  }

  keep(): number {
    let sum = 0;
    for (const [n, key] of this.keys.entries()) {
      const value = this.values[n];
      const bytes = value === undefined ? undefined : this.table.encode(key, value);
      this.bytes.push(bytes);
      sum += key.length + (bytes?.length ?? 0);
    }
    return sum;
  }

  rollBack(): void {
    this.clear();
  }

  apply(): void {
    for (const [n, key] of this.keys.entries()) {
      const bytes = this.bytes[n];
      if (bytes !== undefined) this.table.putNow(key, bytes);
      else this.table.removeNow(key);
    }
    this.clear();
  }
}

/** Reads a damaged value as absent, so that the batch can overwrite it. The damage was already counted. */
export function unlessDamaged<T>(table: StagedTable<T>, key: Key): T | undefined {
  try {
    return table.get(key);
  } catch (error) {
    if (error instanceof DataDamaged) return undefined;
    throw error;
  }
}

/** A table as the works of a batch see it. */
export interface StagedTable<T> {
  readonly table: Table<T>;
  get(key: Key): T | undefined;
  put(key: Key, value: T): void;
  delete(key: Key): void;
  /** The batch is over. */
  clear(): void;
}

type Each = { readonly [K in keyof Tables]: Tables[K] extends Table<infer T> ? StagedTable<T> : never };

export interface StagedTables extends Each {
  readonly products: Staged<Product>;
}

/** Tables whose records works rarely read or write twice. */
const APPENDED: ReadonlySet<string> = new Set<keyof Tables>([
  "events",
  "idempotencyTimes",
  "interactions",
  "changes",
  "contactChanges",
]);

export function stageTables(tables: Tables, journal: Journal): StagedTables {
  const staged: Record<string, unknown> = {};
  for (const [name, table] of Object.entries(tables))
    staged[name] = APPENDED.has(name)
      ? new StagedAppends<unknown>(table, journal)
      : new Staged<unknown>(table, journal);
  if (!isWhole(staged, tables)) throw new TypeError("A table is missing");
  return staged;
}

function isWhole(staged: Readonly<Record<string, unknown>>, tables: Tables): staged is StagedTables & typeof staged {
  return Object.keys(tables).every((name) => staged[name] !== undefined);
}
