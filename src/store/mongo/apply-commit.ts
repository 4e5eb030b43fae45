import type { Collection } from "mongodb";
import { MongoBulkWriteError } from "mongodb";
import type { Now } from "../../domain/clock.js";
import { asked, type Connection, collectionOf, commandsOf, LONG_MS, limitOf } from "./connection.js";
import { type Key, keysOf } from "./keys.js";
import type { Write } from "./staged-tables.js";
import type { StoredDocument } from "./table.js";

/** Where a tombstone is, so that it is found when its time has passed. */
interface Grave {
  readonly _id: string;
  readonly table: string;
  readonly key: Key;
  readonly rev: number;
  readonly at: number;
}

/**
 * How long a tombstone stays: far longer than anybody still applies a commit that was finished by others, and long
 * enough for a server that was cut off to learn which products went.
 */
export const TOMBSTONE_MS = 24 * 60 * 60 * 1000;

/**
 * How long the tombstones of an app stay once a person was erased: their keys are names. Nobody applies a commit for so
 * long who has not been cut off in the middle of it.
 */
export const SCRUBBED_MS = 10 * 60 * 1000;

/** Tables that others follow by their tombstones; they hold no names of persons. */
const FOLLOWED = ["products", "productSkus"];

const GRAVES_AT_ONCE = 500;
const SWEEPS_AT_ONCE = 100;

/**
 * Applies the writes of a commit to their collections. Several servers may do so repeatedly and at once: each document
 * names the commit that wrote it, and only a later commit replaces it. A removed record leaves a tombstone, otherwise a
 * late insert would bring it back.
 */
export class Applier {
  private readonly graves: Collection<Grave>;

  constructor(
    private readonly connection: Connection,
    private readonly now: Now,
  ) {
    this.graves = collectionOf<Grave>(connection, "graves");
  }

  async apply(appId: string, rev: number, writes: readonly Write[]): Promise<void> {
    const byTable = new Map<string, Write[]>();
    const removed: Grave[] = [];
    for (const write of writes) {
      const group = byTable.get(write.table);
      if (group === undefined) byTable.set(write.table, [write]);
      else group.push(write);
      if (write.stored !== undefined) continue;
      const { table, key } = write;
      removed.push({ _id: `${key}\0${table}\0${rev}`, table, key, rev, at: this.now() });
    }
    if (removed.length > 0) {
      await asked(
        this.connection,
        () => duplicatesOf(this.graves.insertMany(removed, { ordered: false })),
        limitOf(this.connection, removed.length),
      );
    }
    await Promise.all([...byTable].map(([table, group]) => this.applyTo(table, appId, rev, group)));
  }

  private async applyTo(table: string, appId: string, rev: number, writes: readonly Write[]): Promise<void> {
    const collection = collectionOf<StoredDocument>(this.connection, table);
    const inserted: StoredDocument[] = [];
    const replaced: StoredDocument[] = [];
    const present: StoredDocument[] = [];
    for (const { key, stored, known } of writes) {
      if (stored === undefined) replaced.push({ _id: key, app: appId, rev, gone: true });
      else if (known) replaced.push({ _id: key, app: appId, rev, v: stored });
      else inserted.push({ _id: key, app: appId, rev, v: stored });
    }
    if (inserted.length > 0) {
      const met = await asked(
        this.connection,
        () => duplicatesOf(collection.insertMany(inserted, { ordered: false })),
        limitOf(this.connection, inserted.length),
      );
      for (const at of met) present.push(inserted[at]!);
    }
    if (replaced.length > 0) present.push(...(await this.replaceEarlier(collection, replaced, true)));
    const left = this.connection.hasAtomicUpdates ? present : await this.unapplied(collection, present);
    if (left.length > 0) await this.replaceEarlier(collection, left, false);
  }

  /**
   * Those of the documents that are not there as of this commit or a later one. Of a commit that another server has left
   * half applied that is few. FerretDB 1 finds a document by its `_id` alone, but reads the whole collection for each
   * update that names the commit as well: 370 ms among 3,000 events.
   */
  private async unapplied(
    collection: Collection<StoredDocument>,
    documents: readonly StoredDocument[],
  ): Promise<StoredDocument[]> {
    const limitMs = limitOf(this.connection, documents.length);
    const isApplied = async ({ _id, rev }: StoredDocument): Promise<boolean> => {
      const find = () => collection.findOne({ _id }, { projection: { rev: 1 } });
      const found = await asked(this.connection, find, limitMs);
      return found !== null && found.rev >= rev;
    };
    const applied = await Promise.all(documents.map(isApplied));
    return documents.filter((_, n) => !applied[n]);
  }

  /**
   * Puts each document in place of that of an earlier commit; with `upsert` also in place of none. Answers those whose
   * upsert met a duplicate, to be replaced again without it: there was no earlier document when the server looked, but
   * some document when it inserted. That may be of a later commit, or of an earlier one that another server inserted in between.
   */
  private async replaceEarlier(
    collection: Collection<StoredDocument>,
    documents: readonly StoredDocument[],
    upsert: boolean,
  ): Promise<StoredDocument[]> {
    const present: StoredDocument[] = [];
    for (const some of commandsOf(this.connection, documents)) {
      const operations = some.map(({ _id, ...replacement }) => ({
        replaceOne: { filter: { _id, rev: { $lt: replacement.rev } }, replacement, upsert },
      }));
      const write = () => duplicatesOf(collection.bulkWrite(operations, { ordered: false }));
      for (const at of await asked(this.connection, write, limitOf(this.connection, some.length)))
        present.push(some[at]!);
    }
    return present;
  }

  /** Lets the tombstones that an app has leave soon. */
  async hasten(appId: string): Promise<void> {
    const { start, end } = keysOf(appId);
    const at = this.now() - TOMBSTONE_MS + SCRUBBED_MS;
    const filter = { _id: { $gte: start, $lt: end }, at: { $gt: at }, table: { $nin: FOLLOWED } };
    await asked(this.connection, () => this.graves.updateMany(filter, { $set: { at } }), LONG_MS);
  }

  /** Removes tombstones past their time. */
  async sweep(): Promise<void> {
    for (let n = 0; n < SWEEPS_AT_ONCE; n++) if ((await this.sweepSome()) < GRAVES_AT_ONCE) return;
  }

  private async sweepSome(): Promise<number> {
    const due = await asked(this.connection, () =>
      this.graves
        .find({ at: { $lt: this.now() - TOMBSTONE_MS } })
        .limit(GRAVES_AT_ONCE)
        .toArray(),
    );
    for (const { _id, table, key, rev } of due) {
      const collection = collectionOf<StoredDocument>(this.connection, table);
      await asked(this.connection, () => collection.deleteOne({ _id: key, rev, gone: true }), LONG_MS);
      await asked(this.connection, () => this.graves.deleteOne({ _id }));
    }
    return due.length;
  }
}

/** The places of the operations that met a document with their `_id`. Rejects when anything else went wrong. */
async function duplicatesOf(bulk: Promise<unknown>): Promise<number[]> {
  try {
    await bulk;
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    const concern = error.result.getWriteConcernError();
    if (concern !== undefined || failures.length === 0 || failures.some((one) => one.code !== 11000)) throw error;
    return failures.map((one) => one.index);
  }
}
