/** Ways to store the events of a shop in MongoDB: the store, and plain designs to compare it with. */
import { type Document, MongoClient } from "mongodb";
import type { Event } from "../../src/domain/event.js";
import { newVisitor } from "../../src/domain/visitor.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { Store } from "../../src/store/ports/store.js";
import { interactionOf, viewEvent } from "../load.js";

export const DESIGNS = ["insert", "gathered", "transaction", "store"] as const;
export type Design = (typeof DESIGNS)[number];

export const DESIGN_TITLES: Readonly<Record<Design, string>> = {
  insert: "one insert, majority + journal",
  gathered: "gathered: insertMany and bulk upserts, four batches in flight",
  transaction: "gathered in one transaction",
  store: "Aisle's store",
};

/** Stores one event of an app. */
export interface Recorder {
  record(appId: string, event: Event): Promise<void>;
  close(): Promise<void>;
}

const ANSWER_MS = 60_000;

export async function openRecorder(design: Design, url: string): Promise<Recorder> {
  if (design === "store") {
    const store = await openMongoStore({ url, now: Date.now, limits: { answerMs: ANSWER_MS } });
    return { record: (appId, event) => recordView(store, appId, event), close: () => store.close() };
  }
  const client = await MongoClient.connect(url, { writeConcern: { w: "majority", journal: true } });
  const db = client.db();
  const events = db.collection<Document & { _id: string }>("plain_events");
  const people = db.collection<Document & { _id: string }>("plain_people");
  const close = () => client.close();
  if (design === "insert") {
    return { record: async (appId, event) => void (await events.insertOne(eventOf(appId, event))), close };
  }
  const write = async (batch: readonly Pair[], session?: ReturnType<typeof client.startSession>) => {
    const inserts = batch.flatMap(({ appId, event }) => [eventOf(appId, event), rowOf(appId, event)]);
    const upserts = batch.map(({ appId, event }) => ({
      updateOne: {
        filter: { _id: `${appId}\0${event.visitor.clientId}` },
        update: { $setOnInsert: newVisitor(event.visitor.clientId, event.receivedAt) },
        upsert: true,
      },
    }));
    const options = { ordered: false, ...(session !== undefined && { session }) };
    await events.insertMany(inserts, options);
    await people.bulkWrite(upserts, options);
  };
  const inTransaction = async (batch: readonly Pair[]) => {
    await client.withSession((session) => session.withTransaction(() => write(batch, session)));
  };
  // A transaction cannot create a collection on every server.
  for (const name of ["plain_events", "plain_people"]) await db.createCollection(name).catch(() => undefined);
  const record = gatherer(design === "gathered" ? write : inTransaction, design === "gathered" ? 4 : 1);
  return { record: (appId, event) => record({ appId, event }), close };
}

interface Pair {
  readonly appId: string;
  readonly event: Event;
}

/** Writes what has come meanwhile in batches, so many at the same time. */
function gatherer(write: (batch: readonly Pair[]) => Promise<void>, inFlight: number) {
  let waiting: { readonly pair: Pair; readonly done: () => void; readonly failed: (error: unknown) => void }[] = [];
  let running = 0;
  const begin = (): void => {
    if (running >= inFlight || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    running++;
    write(batch.map(({ pair }) => pair))
      .then(
        () => {
          for (const { done } of batch) done();
        },
        (error: unknown) => {
          for (const { failed } of batch) failed(error);
        },
      )
      .finally(() => {
        running--;
        setImmediate(begin);
      });
  };
  return (pair: Pair) =>
    new Promise<void>((done, failed) => {
      waiting.push({ pair, done, failed });
      setImmediate(begin);
    });
}

function eventOf(appId: string, event: Event): Document & { _id: string } {
  return { _id: `${appId}\0event\0${event.eventId}`, app: appId, v: event };
}

function rowOf(appId: string, event: Event): Document & { _id: string } {
  return { _id: `${appId}\0row\0${event.visitor.clientId}\0${event.eventId}`, app: appId, v: interactionOf(event) };
}

/** One product view, as intake records it. */
function recordView(store: Store, appId: string, event: Event): Promise<void> {
  return store.unitOfWork.run(appId, (tx) => {
    tx.app();
    const name = `c:${event.visitor.clientId}`;
    const visitorId = tx.visitorKeys.get(name) ?? `visitor-${event.eventId}`;
    if (tx.visitors.get(visitorId) === undefined) {
      tx.visitors.put(visitorId, { ...newVisitor(visitorId, event.receivedAt), keys: [name] });
      tx.visitorKeys.put(name, visitorId);
    }
    tx.events.put(event.eventId, event);
    tx.putInteraction(visitorId, interactionOf(event));
    tx.markChanged();
  });
}

/** The `n`th product view of a process, half of them by a visitor that was there before. */
export function nextView(process: number, n: number): Event {
  const one = viewEvent(process * 100_000_000 + n, 100_000_000);
  const visitor = n % 2 === 0 ? n : n - 1;
  return { ...one, visitor: { ...one.visitor, clientId: `c-${process}-${visitor}` } };
}
