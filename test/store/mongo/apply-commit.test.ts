import { setTimeout as pause } from "node:timers/promises";
import { Collection } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Applier } from "../../../src/store/mongo/apply-commit.js";
import { connect } from "../../../src/store/mongo/connection.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { visitor } from "../../contract/samples.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer?.stop());

describe.skipIf(peer === undefined)(`commits applied at once: ${peer?.name ?? NO_PEER}`, () => {
  /** Two servers count up visitors at once; resolves with those of which an acknowledged step is not stored. */
  async function lostVisitors(visitors: number): Promise<string[]> {
    const database = databaseName();
    const open = () => openMongoStore({ url: peer!.url(database), now: () => 1000, limits: PATIENT });
    const stores = [await open(), await open()];
    onTestFinished(async () => {
      vi.restoreAllMocks();
      await Promise.all(stores.map((store) => store.close()));
      await peer!.drop(database);
    });
    const ids = Array.from({ length: visitors }, (_, n) => `v${n}`);
    for (const id of ids) {
      const count = (at: number) =>
        stores[at % 2]!.unitOfWork.run("shop", (tx) => {
          tx.visitors.put(id, visitor(id, { linkedAt: (tx.visitors.get(id)?.linkedAt ?? 0) + 1 }));
        });
      await Promise.all([0, 1, 2, 3].map(count));
      await Promise.all([0, 1].map(count)); // now there is a document to replace
    }
    const reader = await open();
    stores.push(reader);
    return reader.unitOfWork.run("shop", (tx) => ids.filter((id) => tx.visitors.get(id)?.linkedAt !== 6));
  }

  it("two servers that write one visitor lose no acknowledged write, whichever inserts first", async () => {
    const insertMany = Collection.prototype.insertMany;
    vi.spyOn(Collection.prototype, "insertMany").mockImplementation(async function (this: Collection, ...args) {
      if (this.collectionName === "visitors") await pause(Math.random() * 20);
      return insertMany.apply(this, args);
    });
    expect(await lostVisitors(60)).toEqual([]);
  }, 120_000);

  it.runIf(peer?.name === "FerretDB")(
    "no acknowledged write is lost on a server that looks for a document and replaces it in two steps",
    async () => {
      const bulkWrite = Collection.prototype.bulkWrite;
      vi.spyOn(Collection.prototype, "bulkWrite").mockImplementation(async function (this: Collection, ...args) {
        const [[operation]] = args;
        if (this.collectionName !== "visitors" || operation === undefined || !("replaceOne" in operation))
          return bulkWrite.apply(this, args);
        const { filter, replacement } = operation.replaceOne;
        const found = await this.findOne(filter);
        await pause(Math.random() * 20);
        if (found === null) return bulkWrite.apply(this, args);
        return bulkWrite.apply(this, [[{ replaceOne: { filter: { _id: found._id }, replacement } }]]);
      });
      expect(await lostVisitors(20)).toEqual([]);
    },
  );

  it("a commit may replace more documents than FerretDB has connections to its own database", async () => {
    const database = databaseName();
    const store = await openMongoStore({ url: peer!.url(database), now: () => 1000, limits: PATIENT });
    onTestFinished(async () => {
      await store.close();
      await peer!.drop(database);
    });
    const ids = Array.from({ length: 120 }, (_, n) => `k${n}`);
    for (const value of ["old", "new"])
      await store.unitOfWork.run("shop", (tx) => {
        for (const id of ids) tx.visitorKeys.put(id, value);
      });
    // FerretDB would answer nobody any more.
    const reader = await openMongoStore({ url: peer!.url(database), now: () => 1000, limits: PATIENT });
    onTestFinished(() => reader.close());
    const values = await reader.unitOfWork.run("shop", (tx) => ids.map((id) => tx.visitorKeys.get(id)));
    expect(new Set(values)).toEqual(new Set(["new"]));
  });

  /** A commit of 15 inserts, applied by a server whose updates are atomic or not. */
  async function appliedOnce(hasAtomicUpdates: boolean) {
    const database = databaseName();
    const { connection } = await connect(peer!.url(database), PATIENT.answerMs, () => undefined);
    onTestFinished(async () => {
      vi.restoreAllMocks();
      await connection.client.close();
      await peer!.drop(database);
    });
    const applier = new Applier({ ...connection, hasAtomicUpdates }, () => 1000);
    const writes = Array.from({ length: 15 }, (_, n) => ({
      table: "events",
      key: `shop\0e${n}`,
      stored: { n },
      known: false,
    }));
    await applier.apply("shop", 1, writes);
    return { applier, writes, collection: connection.db.collection<{ _id: string; v: unknown }>("events") };
  }

  it("a commit of inserts that is applied again asks the server twice, however many documents it has", async () => {
    // Replacing where nothing is to be replaced takes no connection of FerretDB's, so it may all be one command there, too.
    const { applier, writes } = await appliedOnce(true);
    const asked = vi.spyOn(Collection.prototype, "bulkWrite"); // `insertMany` of the driver calls it too
    await applier.apply("shop", 1, writes);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("updates only what is not applied yet where each update reads the whole collection", async () => {
    const { applier, writes, collection } = await appliedOnce(false);
    const asked = vi.spyOn(Collection.prototype, "bulkWrite");
    await applier.apply("shop", 1, writes);
    expect(asked).toHaveBeenCalledTimes(1); // `insertMany` of the driver
    const later = writes.map((write, n) => ({ ...write, stored: { n: n + 100 } }));
    await applier.apply("shop", 2, later);
    await applier.apply("shop", 1, writes);
    const stored = await collection.find({}).toArray();
    expect(new Set(stored.map(({ v }) => v))).toEqual(new Set(later.map((write) => write.stored)));
  });
});
