import type { Document } from "mongodb";
import { keyOf } from "../keys.js";
import { answered, type Connection } from "./connection.js";
import type { Draft } from "./staged-tables.js";
import { RECORDS } from "./table.js";

/**
 * Writer documents of an app. Each transaction that writes for an app also writes one of them; one that removes records that
 * others refer to writes all of them, and so conflicts with every other. Servers choose different ones, so that they do not
 * conflict otherwise.
 */
const SLOTS = 16;

/** The kind of writer documents. */
const WRITERS = "writers";

/** The writer document that a server uses; another one after a conflict, as another server may use the same. */
export function chooseSlot(): number {
  return Math.floor(Math.random() * SLOTS);
}

/** Updates of the writer documents by a transaction with the id `by`. */
export function* writerUpdates(
  { appId: app, isExclusive, changed }: Draft,
  slot: number,
  by: string,
): Iterable<Document> {
  for (let n = 0; n < SLOTS; n++) {
    const isOwn = n === slot;
    if (!isOwn && !isExclusive) continue;
    const $set = { app, kind: WRITERS, by, ...(isOwn && changed && { changed: by }) };
    yield { q: { _id: writerId(app, n) }, u: { $set }, upsert: true };
  }
}

function writerId(appId: string, slot: number): string {
  return `${keyOf(appId, "")}${WRITERS}\0${String(slot).padStart(2, "0")}`;
}

/** Changes whenever a transaction has changed the app's training data; "" before the first. */
export async function activityOf(connection: Connection, appId: string): Promise<string> {
  const prefix = `${keyOf(appId, "")}${WRITERS}`;
  const writers = connection.db.collection<{ readonly _id: string; readonly changed?: string }>(RECORDS);
  const found = await answered(connection, () =>
    writers.find({ _id: { $gte: `${prefix}\0`, $lt: `${prefix}\x01` } }, { batchSize: SLOTS + 1 }).toArray(),
  );
  return found
    .map(({ changed = "" }) => changed)
    .join("")
    .replaceAll("-", "");
}
