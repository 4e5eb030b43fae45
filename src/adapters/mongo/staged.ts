import { InvalidArgument } from "../../domain/errors.js";
import { appKey, type Key } from "./keys.js";
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
 * The commit that is being made: works run one after the other, each on top of those before; a work that throws leaves
 * nothing. Works read what was loaded before. One that asks for more is run on as if the record were absent, only to
 * learn what else it asks for; its outcome, even a thrown one, is then forgotten, as are those of all works after it.
 * The caller loads what was missing and runs them again: a chain of reads costs as many rounds as it is long, for all
 * works together.
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
    this.tables.activity.keep();
  }

  writes(): Write[] {
    return this.all.flatMap((staged) => [...staged.writes()]);
  }
}

/** A table as the works of a draft see it. */
export class Staged<T> {
  private readonly own = new Map<Key, T | undefined>();
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

  /** Throws when a work wrote what cannot be stored. */
  check(): void {
    for (const key of this.own.keys()) if (key.endsWith("\0")) throw new InvalidArgument("id", "missing");
  }

  keep(): void {
    for (const [key, value] of this.own) this.kept.set(key, value === undefined ? undefined : this.table.encode(value));
    this.own.clear();
  }

  rollBack(): void {
    this.own.clear();
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
