import { checkKey, fits, type Key } from "../keys.js";
import type { StoredDocument, Table } from "./table.js";
import type { Tables } from "./tables.js";

/** A write of a transaction: the new document, or undefined for a record that is removed. */
export interface Write {
  readonly table: string;
  readonly key: Key;
  readonly id: string;
  readonly document: StoredDocument | undefined;
  /** There is no such record yet, as far as is known. */
  readonly isNew: boolean;
}

export type StagedTables = {
  readonly [K in keyof Tables]: Tables[K] extends Table<infer T> ? Staged<T> : never;
};

/** A piece of work over the tables of one app; see UnitOfWork for what it may do. */
export type Work<T> = (draft: Draft) => T;

/**
 * Tables whose records decide whether a work may write others. A work that only reads such a record also writes to it, so
 * that it conflicts with a work that changes it. Snapshot isolation alone would let both commit.
 */
const HELD: ReadonlySet<string> = new Set<keyof Tables>(["leases", "models", "pointers", "copies"]);

/** Tables whose records are written under new ids, mostly without a read before. */
const NEW: ReadonlySet<string> = new Set<keyof Tables>([
  "events",
  "interactions",
  "changes",
  "rejectedEvents",
  "outbox",
  "dueResults",
]);

/**
 * Tables whose records others refer to without writing them. A work that removes one conflicts with every work of the app
 * that runs at the same time, so that nothing new refers to a removed record.
 */
const REFERRED: ReadonlySet<string> = new Set<keyof Tables>(["apps", "contacts", "visitors"]);

/**
 * The works of one app in a transaction. They run one after the other, each on top of those before; a work that throws
 * leaves nothing.
 *
 * Works read only loaded records. When a work asks for another one, it continues as if that record were absent, only to
 * show what else it reads. Its outcome, even an error, is discarded, as are the outcomes of all later works. The caller
 * loads the missing records and runs these works again. A chain of n dependent reads costs n rounds for all works together.
 */
export class Draft {
  readonly tables: StagedTables;
  /** Records to load, by `_id`. */
  readonly missing = new Map<string, (v: unknown) => void>();
  /** Training data has changed. */
  changed = false;
  private readonly all: readonly Staged<unknown>[];
  private marked = false;
  private missed = false;

  constructor(
    readonly appId: string,
    tables: Tables,
  ) {
    this.tables = stagedOf(tables, this);
    this.all = Object.values(this.tables);
  }

  /** Records that training data has changed. */
  markChanged(): void {
    this.marked = true;
  }

  /** Notes a record that must be loaded. */
  miss(id: string, take: (v: unknown) => void): void {
    this.missed = true;
    this.missing.set(id, take);
  }

  /** Runs a work; true when its outcome stands, because it and all works before it had everything they read. */
  attempt(run: () => void, fail: (error: unknown) => void): boolean {
    this.missed = this.missing.size > 0;
    this.marked = false;
    try {
      run();
      if (!this.missed) for (const staged of this.all) staged.check();
    } catch (error) {
      for (const staged of this.all) staged.rollBack();
      if (!this.missed) fail(error);
      return !this.missed;
    }
    if (this.missed) {
      for (const staged of this.all) staged.rollBack();
      return false;
    }
    for (const staged of this.all) staged.keep();
    this.changed ||= this.marked;
    return true;
  }

  writes(): Write[] {
    return this.all.flatMap((staged) => [...staged.writes()]);
  }

  /** `_id`s of records that no other work may change before this transaction ends. */
  held(): string[] {
    return this.all.flatMap((staged) => (HELD.has(staged.table.name) ? staged.onlyRead() : []));
  }

  /** True when no other transaction of the app may commit at the same time. */
  get isExclusive(): boolean {
    return this.all.some((staged) => REFERRED.has(staged.table.name) && staged.removesAny);
  }
}

function stagedOf(tables: Tables, draft: Draft): StagedTables {
  const staged: Record<string, unknown> = {};
  for (const [name, table] of Object.entries(tables)) staged[name] = new Staged<unknown>(table, draft);
  if (!isWhole(staged, tables)) throw new TypeError("A table is missing");
  return staged;
}

function isWhole(staged: Readonly<Record<string, unknown>>, tables: Tables): staged is StagedTables {
  return Object.keys(tables).every((name) => staged[name] instanceof Staged);
}

/** A table as the works of a draft see it. */
export class Staged<T> {
  private readonly loaded = new Map<Key, unknown>();
  private readonly own = new Map<Key, T | undefined>();
  /** The encoded writes of the current work. */
  private encoded: (readonly [Key, unknown])[] = [];
  private readonly kept = new Map<Key, unknown>();

  constructor(
    readonly table: Table<T>,
    private readonly draft: Draft,
  ) {}

  /** `assumed` stands for the record in a run that only shows what a work reads. */
  get(key: Key, assumed?: T): T | undefined {
    if (this.own.has(key)) return this.own.get(key);
    if (this.kept.has(key)) return this.decoded(this.kept.get(key));
    if (this.loaded.has(key)) return this.decoded(this.loaded.get(key));
    this.draft.miss(this.table.idOf(key), (v) => this.loaded.set(key, v));
    return assumed;
  }

  put(key: Key, value: T): void {
    this.own.set(key, value);
  }

  delete(key: Key): void {
    this.own.set(key, undefined);
  }

  /** Encodes the writes of the work. Throws when they cannot be stored; then `rollBack` must follow, else `keep`. */
  check(): void {
    for (const [key, value] of this.own) {
      if (value === undefined && !fits(key)) continue; // there is no such record
      checkKey(key);
      this.encoded.push([key, value === undefined ? undefined : this.table.encode(value)]);
    }
  }

  keep(): void {
    for (const [key, stored] of this.encoded) this.kept.set(key, stored);
    this.rollBack();
  }

  /** Drops the writes of the work. */
  rollBack(): void {
    this.own.clear();
    this.encoded = [];
  }

  *writes(): Iterable<Write> {
    const { table, draft } = this;
    for (const [key, stored] of this.kept) {
      const document = stored === undefined ? undefined : table.documentOf(key, draft.appId, stored);
      const isNew = this.loaded.get(key) === undefined && (this.loaded.has(key) || NEW.has(table.name));
      yield { table: table.name, key, id: table.idOf(key), document, isNew };
    }
  }

  onlyRead(): string[] {
    return [...this.loaded]
      .filter(([key, v]) => v !== undefined && !this.kept.has(key))
      .map(([key]) => this.table.idOf(key));
  }

  get removesAny(): boolean {
    return [...this.kept.values()].includes(undefined);
  }

  private decoded(stored: unknown): T | undefined {
    return stored === undefined ? undefined : this.table.decode(stored);
  }
}
