import type { Collection, Filter } from "mongodb";
import { DataDamaged } from "../../domain/errors.js";
import type { Kind } from "../schema/kinds.js";
import { asked, type Connection, collectionOf, LONG_MS, limitOf, withIds } from "./connection.js";
import { type Key, keysOf } from "./keys.js";

/** A record as it is kept. A removed one stays for a while as a tombstone, see `apply-commit.ts`. */
export interface StoredDocument {
  readonly _id: Key;
  readonly app: string;
  /** Number of the commit that wrote it. */
  readonly rev: number;
  readonly v?: unknown;
  readonly gone?: boolean;
}

export interface Entry<T> {
  readonly key: Key;
  readonly value: T;
}

export interface Range {
  readonly start: Key;
  readonly end: Key;
  /** At most this many. */
  readonly limit: number;
  readonly backwards?: boolean;
}

/** `_id`s asked for in one query. */
const KEYS_AT_ONCE = 1000;

/** More entries than a caller waits for who is answered at once. */
const MANY = 1000;

/** Records of one kind, one collection. Each read asks the primary. */
export class Table<T> {
  readonly collection: Collection<StoredDocument>;

  constructor(
    readonly name: string,
    private readonly kind: Kind<T>,
    private readonly connection: Connection,
    /** Whether works read records that were written before, so that it pays to remember them. */
    readonly reread: boolean,
  ) {
    this.collection = collectionOf<StoredDocument>(connection, name);
  }

  async get(key: Key): Promise<T | undefined> {
    const stored = (await this.load([key])).get(key);
    return stored === undefined ? undefined : this.decode(stored);
  }

  /** The records there are of these keys. */
  async many(keys: readonly Key[]): Promise<Map<Key, T>> {
    const found = new Map<Key, T>();
    for (const [key, stored] of await this.load(keys)) found.set(key, this.decode(stored));
    return found;
  }

  /** The stored values there are of these keys. */
  async load(keys: readonly Key[]): Promise<Map<Key, unknown>> {
    const found = new Map<Key, unknown>();
    const parts: (readonly Key[])[] = [];
    const atOnce = this.connection.asksAlone ? 1 : KEYS_AT_ONCE;
    for (let n = 0; n < keys.length; n += atOnce) parts.push(keys.slice(n, n + atOnce));
    const limitMs = limitOf(this.connection, keys.length);
    await Promise.all(
      parts.map(async (part) => {
        const documents = await asked(
          this.connection,
          () => this.collection.find(withIds(part), { batchSize: part.length + 1, maxTimeMS: limitMs }).toArray(),
          limitMs,
        );
        for (const { _id, v, gone } of documents) if (gone !== true) found.set(_id, v);
      }),
    );
    return found;
  }

  /** Entries from `start` up to, not including, `end`, in order of keys or from the end backwards. */
  async entries({ start, end, limit, backwards }: Range, also: Filter<StoredDocument> = {}): Promise<Entry<T>[]> {
    if (limit <= 0) return []; // the driver takes 0 for no limit
    const filter: Filter<StoredDocument> = { ...also, _id: { $gte: start, $lt: end }, gone: { $ne: true } };
    const limitMs = limit > MANY ? LONG_MS : this.connection.answerMs;
    const documents = await asked(
      this.connection,
      () =>
        this.collection
          .find(filter, { batchSize: limit + 1, maxTimeMS: limitMs })
          .sort({ _id: backwards ? -1 : 1 })
          .limit(limit)
          .toArray(),
      limitMs,
    );
    return documents.map(({ _id, v }) => ({ key: _id, value: this.decode(v) }));
  }

  /** Up to `limit` entries of an app, those of greater ids than `after`, "" for the first; `also` narrows them. */
  list(appId: string, after: string, limit: number, also: Filter<StoredDocument> = {}): Promise<Entry<T>[]> {
    return this.entries({ ...keysOf(appId, after), limit }, also);
  }

  decode(stored: unknown): T {
    try {
      return this.kind.fromDocument(stored);
    } catch (error) {
      if (error instanceof DataDamaged) this.connection.onDamage(this.name);
      throw error;
    }
  }

  encode(value: T): unknown {
    return this.kind.toDocument(value);
  }
}
