import type { ClientSession, Collection, Filter } from "mongodb";
import { DataDamaged } from "../../domain/errors.js";
import { type Key, keysOf } from "../keys.js";
import type { Kind } from "../schema/kinds.js";
import { asked, type Connection, collectionOf, LONG_MS } from "./connection.js";

/**
 * A record as it is stored. All kinds are in one collection, so that a transaction reads and writes them with one command each,
 * and an app's records are adjacent. `_id` is the app, the kind and the record's own key, separated by NULs.
 */
export interface StoredDocument {
  readonly _id: string;
  readonly app: string;
  /** The name of its table. */
  readonly kind: string;
  readonly v: unknown;
  /** The kind again, of records that are listed over all apps. */
  readonly across?: string;
  /** The position of an event, see `event-order.ts`. */
  readonly slot?: number;
  readonly order?: number;
}

export interface Entry<T> {
  readonly key: Key;
  readonly value: T;
}

export interface Range {
  readonly start: Key;
  readonly end: Key;
  /** Maximum number of entries. */
  readonly limit: number;
  readonly backwards?: boolean;
}

/** The collection of all records. */
export const RECORDS = "records";

/** `_id`s in one query. */
const IDS_AT_ONCE = 1000;

/** A query for more entries than this may take longer than one that a caller waits for. */
const MANY = 1000;

/** Records of one kind. Each read asks the primary. */
export class Table<T> {
  readonly collection: Collection<StoredDocument>;

  constructor(
    readonly name: string,
    private readonly kind: Kind<T>,
    private readonly connection: Connection,
    private readonly isAcrossApps: boolean,
  ) {
    this.collection = recordsOf(connection);
  }

  /** The `_id` of the record with this key. */
  idOf(key: Key): string {
    const border = key.indexOf("\0");
    // The end of a range of all the app's keys has no border: it is the app's part, then \x01.
    if (border < 0) return `${key.slice(0, -1)}\0${this.name}${key.slice(-1)}`;
    return `${key.slice(0, border)}\0${this.name}${key.slice(border)}`;
  }

  /** The key of the record with this `_id`. */
  keyOf(id: string): Key {
    const border = id.indexOf("\0");
    return id.slice(0, border) + id.slice(border + 1 + this.name.length);
  }

  documentOf(key: Key, appId: string, v: unknown): StoredDocument {
    const document = { _id: this.idOf(key), app: appId, kind: this.name, v };
    return this.isAcrossApps ? { ...document, across: this.name } : document;
  }

  async get(key: Key): Promise<T | undefined> {
    const found = await asked(this.connection, () => this.collection.findOne({ _id: this.idOf(key) }));
    return found === null ? undefined : this.decode(found.v);
  }

  /** The existing records of these keys. */
  async many(keys: readonly Key[]): Promise<Map<Key, T>> {
    const found = new Map<Key, T>();
    const ids = keys.map((key) => this.idOf(key));
    await asked(
      this.connection,
      () => eachOf(this.connection, ids, undefined, (id, v) => found.set(this.keyOf(id), this.decode(v))),
      keys.length > MANY ? LONG_MS : undefined,
    );
    return found;
  }

  /** Entries of one app from `start` (included) to `end` (excluded), in key order or backwards. */
  entries(range: Range, also: Filter<StoredDocument> = {}): Promise<Entry<T>[]> {
    const { start, end } = range;
    return this.query({ ...also, _id: { $gte: this.idOf(start), $lt: this.idOf(end) } }, range);
  }

  /** Up to `limit` entries of all apps with keys from `start` on, in key order. */
  entriesAcross(start: Key, limit: number): Promise<Entry<T>[]> {
    return this.query({ across: this.name, _id: { $gte: this.idOf(start) } }, { limit });
  }

  /** Up to `limit` entries of an app with ids greater than `after`, "" for all; `also` narrows them. */
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

  private async query(
    filter: Filter<StoredDocument>,
    { limit, backwards = false }: Pick<Range, "limit" | "backwards">,
  ): Promise<Entry<T>[]> {
    if (limit <= 0) return []; // the driver takes 0 for no limit
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
    return documents.map(({ _id, v }) => ({ key: this.keyOf(_id), value: this.decode(v) }));
  }
}

export function recordsOf(connection: Connection): Collection<StoredDocument> {
  return collectionOf<StoredDocument>(connection, RECORDS);
}

/** Calls `take` for each document that exists of these `_id`s. */
export async function eachOf(
  connection: Connection,
  ids: readonly string[],
  session: ClientSession | undefined,
  take: (id: string, v: unknown) => void,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    const filter = { _id: some.length === 1 ? some[0]! : { $in: some } };
    const options = { batchSize: some.length + 1, projection: { v: 1 }, ...(session !== undefined && { session }) };
    for (const { _id, v } of await recordsOf(connection).find(filter, options).toArray()) take(_id, v);
  }
}
