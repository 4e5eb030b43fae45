/**
 * Documents with their versions, and transactions over them with snapshot isolation.
 *
 * Each commit gets the next time. A transaction reads as of the time it began at, and its own writes. It conflicts when
 * it writes a document that another has written since, or is writing. A write outside of transactions waits for one that
 * holds its document.
 *
 * The log holds all commits in order. A failover takes back those that the new primary does not have.
 */
import type { Document } from "mongodb";
import { compare, keyOf, valueAt } from "./values.js";

export type Time = number;

/** Rejects a command with this code. */
export class CommandError extends Error {
  constructor(
    readonly code: number,
    readonly codeName: string,
    message: string,
    readonly labels: readonly string[] = [],
  ) {
    super(message);
  }
}

const writeConflict = () =>
  new CommandError(112, "WriteConflict", "another operation writes the document", ["TransientTransactionError"]);

/** A write waits until this transaction has ended. */
export class HeldBy extends Error {
  constructor(readonly transaction: Transaction) {
    super("the document is held by a transaction");
  }
}

export interface UniqueIndex {
  readonly name: string;
  readonly paths: readonly string[];
  readonly isUnique: boolean;
}

interface Version {
  readonly at: Time;
  readonly document: Document | undefined;
}

export interface Change {
  readonly namespace: string;
  readonly key: string;
  readonly document: Document | undefined;
  readonly before: Document | undefined;
}

export interface LogEntry {
  readonly at: Time;
  readonly changes: readonly Change[];
  /** A retryable write or transaction whose outcome the log knows, so that another primary knows it too. */
  readonly statement?: string;
  readonly outcome?: unknown;
}

export class Collection {
  /** By key; each list in order of time. */
  readonly versions = new Map<string, Version[]>();
  /** Transactions that have written a document and not ended. */
  readonly holders = new Map<string, Transaction>();
  indexes: UniqueIndex[] = [];
  private ordered: string[] | undefined;
  /** Keys that came since `ordered` was made. */
  private added: string[] = [];

  constructor(readonly namespace: string) {}

  add(key: string, version: Version): void {
    const versions = this.versions.get(key);
    if (versions !== undefined) return void versions.push(version);
    this.versions.set(key, [version]);
    this.added.push(key);
  }

  keep(key: string, versions: Version[]): void {
    if (versions.length > 0) return void this.versions.set(key, versions);
    this.versions.delete(key);
    this.ordered = undefined;
  }

  /** Keys of documents with text for their `_id`, in order, from `start` up to `end`, both by their keys. */
  between(start: string, end: string): readonly string[] {
    if (this.ordered === undefined) this.ordered = [...this.versions.keys()].sort(compare);
    // Two sorted parts are merged by some comparisons.
    else if (this.added.length > 0) this.ordered = [...this.ordered, ...this.added.sort(compare)].sort(compare);
    this.added = [];
    return this.ordered.slice(placeOf(this.ordered, start), placeOf(this.ordered, end));
  }
}

/** Where a key is in a sorted list, or would be. */
function placeOf(ordered: readonly string[], key: string): number {
  let from = 0;
  for (let to = ordered.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (compare(ordered[middle], key) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class Transaction {
  readonly writes = new Map<Collection, Map<string, Document | undefined>>();
  readonly ended: Promise<void>;
  readonly begunAt = performance.now();
  isOver = false;
  end!: () => void;

  constructor(readonly snapshot: Time) {
    this.ended = new Promise((resolve) => {
      this.end = () => {
        this.isOver = true;
        resolve();
      };
    });
  }
}

export class Storage {
  readonly collections = new Map<string, Collection>();
  readonly log: LogEntry[] = [];
  /** Entries of the log by their statements. */
  readonly statements = new Map<string, LogEntry>();
  now: Time = 0;
  /** A transaction that is older is aborted when another one wants its documents. */
  lifetimeMs = 60_000;
  private readonly open = new Set<Transaction>();

  collection(namespace: string): Collection {
    let found = this.collections.get(namespace);
    if (found === undefined) {
      found = new Collection(namespace);
      this.collections.set(namespace, found);
    }
    return found;
  }

  begin(snapshot = this.now): Transaction {
    const transaction = new Transaction(snapshot);
    this.open.add(transaction);
    return transaction;
  }

  /** The document of a key as of a time, or as a transaction sees it. */
  get(collection: Collection, key: string, at: Time | Transaction): Document | undefined {
    if (at instanceof Transaction) {
      const own = at.writes.get(collection);
      return own?.has(key) ? own.get(key) : this.get(collection, key, at.snapshot);
    }
    return collection.versions.get(key)?.findLast((version) => version.at <= at)?.document;
  }

  /** All documents as of a time, or as a transaction sees them; in no order. */
  *scan(collection: Collection, at: Time | Transaction): Iterable<Document> {
    for (const key of collection.versions.keys()) {
      const document = this.get(collection, key, at);
      if (document !== undefined) yield document;
    }
    if (!(at instanceof Transaction)) return;
    for (const [key, document] of at.writes.get(collection) ?? [])
      if (document !== undefined && !collection.versions.has(key)) yield document;
  }

  /** Writes a document, or removes it. Throws WriteConflict, a duplicate key, or HeldBy for who can wait. */
  write(collection: Collection, key: string, document: Document | undefined, transaction: Transaction, waits: boolean) {
    const holder = this.holderOf(collection, key);
    if (holder !== undefined && holder !== transaction) {
      if (waits) throw new HeldBy(holder);
      throw writeConflict();
    }
    const newest = collection.versions.get(key)?.at(-1);
    if (newest !== undefined && newest.at > transaction.snapshot) {
      // A write on its own sees the newest version: its transaction begins with it.
      if (!waits) throw writeConflict();
    }
    if (document !== undefined) this.checkUnique(collection, key, document, transaction, waits);
    collection.holders.set(key, transaction);
    let own = transaction.writes.get(collection);
    if (own === undefined) {
      own = new Map();
      transaction.writes.set(collection, own);
    }
    own.set(key, document);
  }

  /** The transaction that has written a document and not ended. */
  holderOf(collection: Collection, key: string): Transaction | undefined {
    const holder = collection.holders.get(key);
    if (holder !== undefined && performance.now() - holder.begunAt > this.lifetimeMs) this.abort(holder);
    return collection.holders.get(key);
  }

  private checkUnique(
    collection: Collection,
    key: string,
    document: Document,
    transaction: Transaction,
    waits: boolean,
  ) {
    for (const index of collection.indexes) {
      if (!index.isUnique) continue;
      const valuesOf = (one: Document) => index.paths.map((path) => valueAt(one, path));
      const wanted = valuesOf(document);
      const isSame = (one: Document) => valuesOf(one).every((value, n) => compare(value, wanted[n]) === 0);
      for (const other of this.scan(collection, transaction))
        if (keyOf(other._id) !== key && isSame(other)) throw duplicate(collection, index.name, wanted);
      for (const holder of new Set(collection.holders.values())) {
        if (holder === transaction) continue;
        for (const other of holder.writes.get(collection)?.values() ?? []) {
          if (other === undefined || !isSame(other)) continue;
          if (waits) throw new HeldBy(holder);
          throw writeConflict();
        }
      }
    }
  }

  /** Makes the writes of a transaction visible; its log entry. Undefined when it wrote nothing. */
  commit(transaction: Transaction, statement?: string, outcome?: unknown): LogEntry | undefined {
    const changes: Change[] = [];
    if (transaction.writes.size > 0 || statement !== undefined) {
      const at = ++this.now;
      for (const [collection, writes] of transaction.writes)
        for (const [key, document] of writes) {
          const before = collection.versions.get(key)?.at(-1)?.document;
          changes.push({ namespace: collection.namespace, key, document, before });
          collection.add(key, { at, document });
        }
      const entry = { at, changes, ...(statement !== undefined && { statement, outcome }) };
      this.log.push(entry);
      if (statement !== undefined) this.statements.set(statement, entry);
      this.release(transaction);
      return entry;
    }
    this.release(transaction);
    return undefined;
  }

  abort(transaction: Transaction): void {
    this.release(transaction);
  }

  /** Takes back all commits after a time, and aborts what is open: a member without them becomes primary. */
  rollBackTo(time: Time): void {
    for (const transaction of this.open) this.release(transaction);
    for (const collection of this.collections.values())
      for (const [key, versions] of collection.versions) {
        const kept = versions.filter(({ at }) => at <= time);
        if (kept.length < versions.length) collection.keep(key, kept);
      }
    while ((this.log.at(-1)?.at ?? 0) > time) {
      const statement = this.log.pop()?.statement;
      if (statement !== undefined) this.statements.delete(statement);
    }
  }

  /** Forgets versions that nobody reads any more: those before the newest one as of `time`. */
  prune(time: Time): void {
    const horizon = Math.min(time, ...[...this.open].map(({ snapshot }) => snapshot));
    for (const collection of this.collections.values())
      for (const [key, versions] of collection.versions) {
        const first = Math.max(
          0,
          versions.findLastIndex(({ at }) => at <= horizon),
        );
        const kept = versions.slice(first);
        const isGone = kept.length === 1 && kept[0]?.document === undefined && kept[0]!.at <= horizon;
        if (isGone || first > 0) collection.keep(key, isGone ? [] : kept);
      }
  }

  private release(transaction: Transaction): void {
    this.open.delete(transaction);
    for (const [collection, writes] of transaction.writes)
      for (const key of writes.keys()) if (collection.holders.get(key) === transaction) collection.holders.delete(key);
    transaction.end();
  }
}

export function duplicate(collection: Collection, index: string, values: readonly unknown[]): CommandError {
  return new CommandError(11000, "DuplicateKey", `E11000 duplicate key in ${collection.namespace} ${index}: ${values}`);
}
