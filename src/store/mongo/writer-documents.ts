import type { Document } from "mongodb";
import { keyOf } from "../keys.js";
import { answered, asked, type Connection } from "./connection.js";
import type { Draft } from "./staged-tables.js";
import { RECORDS } from "./table.js";

/**
 * Writer documents of an app. Each transaction that writes for an app also writes one of them; one that removes records that
 * others refer to writes all of them, and so conflicts with every other. Servers choose different ones, so that they do not
 * conflict otherwise.
 */
const SLOTS = 16;
const SLOT_DIGITS = 2;

/** The kind of writer documents. */
const WRITERS = "writers";

/** The writer document that a server uses; another one after a conflict, as another server may use the same. */
export function chooseSlot(): number {
  return Math.floor(Math.random() * SLOTS);
}

/**
 * Updates of the writer documents by a transaction with the id `by`. `order` is that of the last event which it stores, if it
 * stores any.
 */
export function* writerUpdates(
  { appId: app, isExclusive, changed }: Draft,
  slot: number,
  by: string,
  order: number | undefined,
): Iterable<Document> {
  for (let n = 0; n < SLOTS; n++) {
    const isOwn = n === slot;
    if (!isOwn && !isExclusive) continue;
    const $set = {
      app,
      kind: WRITERS,
      by,
      ...(isOwn && changed && { changed: by }),
      ...(isOwn && order !== undefined && { v: order }),
    };
    yield { q: { _id: writerId(app, n) }, u: { $set }, upsert: true };
  }
}

export function writerId(appId: string, slot: number): string {
  return `${keyOf(appId, "")}${WRITERS}\0${String(slot).padStart(SLOT_DIGITS, "0")}`;
}

interface WriterDocument {
  readonly _id: string;
  readonly changed?: string;
  /** The greatest `order` of the events that were stored with it. */
  readonly v?: number;
}

/** Changes whenever a transaction has changed the app's training data; "" before the first. */
export async function activityOf(connection: Connection, appId: string): Promise<string> {
  const found = await answered(connection, () => writersOf(connection, appId));
  return found
    .map(({ changed = "" }) => changed)
    .join("")
    .replaceAll("-", "");
}

/** The greatest order of the events of each slot that has any. */
export async function ordersOf(connection: Connection, appId: string): Promise<ReadonlyMap<number, number>> {
  const orders = new Map<number, number>();
  for (const { _id, v } of await asked(connection, () => writersOf(connection, appId)))
    if (v !== undefined) orders.set(Number(_id.slice(-SLOT_DIGITS)), v);
  return orders;
}

function writersOf({ db }: Connection, appId: string): Promise<WriterDocument[]> {
  const prefix = `${keyOf(appId, "")}${WRITERS}`;
  const ids = { $gte: `${prefix}\0`, $lt: `${prefix}\x01` };
  return db
    .collection<WriterDocument>(RECORDS)
    .find({ _id: ids }, { batchSize: SLOTS + 1 })
    .toArray();
}
