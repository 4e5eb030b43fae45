import { appKey, checkKey, fits, type Key } from "./keys.js";
import type { RecordCache } from "./record-cache.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

/** A write of a commit: the stored value, or undefined for a record that is removed. */
export interface Write {
  readonly table: string;
  readonly key: Key;
  readonly stored: unknown;
  /** The record was there before, as far as is known: then it is replaced, else inserted. */
  readonly known: boolean;
}

export type StagedTables = {
  readonly [K in keyof Tables]: Tables[K] extends Table<infer T> ? Staged<T> : never;
};

/** A piece of work over the tables of one app; see UnitOfWork for what it may do. */
export type Work<T> = (draft: Draft) => T;

/**
 * The commit in progress. Works run one after the other, each on top of those before; a work that throws leaves nothing.
 * Works read only loaded records. When a work asks for another one, it continues as if that record were absent, only to
 * show what else it reads. Its outcome, even an error, is discarded, as are the outcomes of all later works. The caller
 * loads the missing records and runs these works again. A chain of n dependent reads costs n rounds for all works together.
 */
export class Draft {
  readonly tables: StagedTables;
  readonly missing = new Map<Table<unknown>, Set<Key>>();
  changed = false;
  private readonly all: readonly Staged<unknown>[];
  private marked = false;
  private missed = false;

  constructor(
    readonly appId: string,
    tables: Tables,
    readonly cache: RecordCache,
  ) {
    this.tables = {
      apps: new Staged(tables.apps, this),
      frames: new Staged(tables.frames, this),
      frameVersions: new Staged(tables.frameVersions, this),
      frameTallies: new Staged(tables.frameTallies, this),
      frameExposures: new Staged(tables.frameExposures, this),
      events: new Staged(tables.events, this),
      idempotency: new Staged(tables.idempotency, this),
      rejectedEvents: new Staged(tables.rejectedEvents, this),
      rejectedLogs: new Staged(tables.rejectedLogs, this),
      visitors: new Staged(tables.visitors, this),
      visitorKeys: new Staged(tables.visitorKeys, this),
      interactions: new Staged(tables.interactions, this),
      contacts: new Staged(tables.contacts, this),
      contactKeys: new Staged(tables.contactKeys, this),
      changes: new Staged(tables.changes, this),
      ledgerHeads: new Staged(tables.ledgerHeads, this),
      networkLinks: new Staged(tables.networkLinks, this),
      mailingSecrets: new Staged(tables.mailingSecrets, this),
      confirmations: new Staged(tables.confirmations, this),
      outbox: new Staged(tables.outbox, this),
      deadHooks: new Staged(tables.deadHooks, this),
      feeds: new Staged(tables.feeds, this),
      products: new Staged(tables.products, this),
      productSkus: new Staged(tables.productSkus, this),
      productCounts: new Staged(tables.productCounts, this),
      unconfirmedProducts: new Staged(tables.unconfirmedProducts, this),
      orders: new Staged(tables.orders, this),
      erasures: new Staged(tables.erasures, this),
      models: new Staged(tables.models, this),
      pointers: new Staged(tables.pointers, this),
      activity: new Staged(tables.activity, this),
      leases: new Staged(tables.leases, this),
      removals: new Staged(tables.removals, this),
      copies: new Staged(tables.copies, this),
    };
    this.all = Object.values(this.tables);
  }

  /** Says that what training reads has changed. */
  markChanged(): void {
    this.marked = true;
  }

  /** Notes a record that must be loaded. */
  miss<T>(table: Table<T>, key: Key): void {
    this.missed = true;
    const keys = this.missing.get(table);
    if (keys === undefined) this.missing.set(table, new Set([key]));
    else keys.add(key);
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

  /** Writes which commit changed what training reads. */
  noteActivity(rev: number): void {
    this.tables.activity.put(appKey(this.appId), rev);
    this.tables.activity.check();
    this.tables.activity.keep();
  }

  writes(): Write[] {
    return this.all.flatMap((staged) => [...staged.writes()]);
  }
}

/** A table as the works of a draft see it. */
export class Staged<T> {
  private readonly own = new Map<Key, T | undefined>();
  /** What the work under way wrote, as it is stored. */
  private encoded: (readonly [Key, unknown])[] = [];
  private readonly kept = new Map<Key, unknown>();

  constructor(
    readonly table: Table<T>,
    private readonly draft: Draft,
  ) {}

  /** `assumed` stands for the record in a run that is only made to learn what is read. */
  get(key: Key, assumed?: T): T | undefined {
    if (this.own.has(key)) return this.own.get(key);
    if (this.kept.has(key)) return this.decoded(this.kept.get(key));
    const cached = this.draft.cache.get(this.table.name, key);
    if (cached !== undefined) return this.decoded(cached.stored);
    this.draft.miss(this.table, key);
    return assumed;
  }

  put(key: Key, value: T): void {
    this.own.set(key, value);
  }

  delete(key: Key): void {
    this.own.set(key, undefined);
  }

  /** Encodes what the work wrote. Throws when that cannot be stored; then `rollBack` must follow, else `keep`. */
  check(): void {
    for (const [key, value] of this.own) {
      if (value === undefined && !fits(key)) continue; // it is not there
      checkKey(key);
      this.encoded.push([key, value === undefined ? undefined : this.table.encode(value)]);
    }
  }

  keep(): void {
    for (const [key, stored] of this.encoded) this.kept.set(key, stored);
    this.rollBack();
  }

  /** Forgets what the work wrote. */
  rollBack(): void {
    this.own.clear();
    this.encoded = [];
  }

  *writes(): Iterable<Write> {
    for (const [key, stored] of this.kept) {
      const known = this.draft.cache.get(this.table.name, key)?.stored !== undefined;
      yield { table: this.table.name, key, stored, known };
    }
  }

  private decoded(stored: unknown): T | undefined {
    return stored === undefined ? undefined : this.table.decode(stored);
  }
}
