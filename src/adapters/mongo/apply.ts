import type { AnyBulkWriteOperation, Collection } from "mongodb";
import { MongoBulkWriteError } from "mongodb";
import type { Now } from "../../domain/clock.js";
import { asked, type Connection, collectionOf, LONG_MS, limitOf } from "./connection.js";
import { type Key, keysOf } from "./keys.js";
import type { Write } from "./staged.js";
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
 * Makes the writes of a commit in their collections. It can be done again and by several servers at once: each document
 * says which commit wrote it and is replaced only by a later one. For that a removed record leaves a tombstone, else a
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
      for (const at of met) replaced.push(inserted[at]!);
    }
    if (replaced.length > 0) await this.replace(collection, replaced);
  }

  /**
   * A document of a later commit does not match, and the upsert meets it as a duplicate: it stands. Servers differ in
   * whether they go on after that (FerretDB 1.24 does not), so what met none is asked for again.
   */
  private async replace(collection: Collection<StoredDocument>, documents: readonly StoredDocument[]): Promise<void> {
    let left = documents.map((document): AnyBulkWriteOperation<StoredDocument> => {
      const { _id, ...replacement } = document;
      return { replaceOne: { filter: { _id, rev: { $lt: document.rev } }, replacement, upsert: true } };
    });
    while (left.length > 0) {
      const operations = left;
      const met = new Set(
        await asked(
          this.connection,
          () => duplicatesOf(collection.bulkWrite(operations, { ordered: false })),
          limitOf(this.connection, operations.length),
        ),
      );
      left = met.size === 0 ? [] : operations.filter((_, n) => !met.has(n));
    }
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
