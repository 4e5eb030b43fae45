import { setTimeout as pause } from "node:timers/promises";
import { type Collection, MongoClient, type MongoError } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTestReplicaSet } from "./replica-set.js";

interface Thing {
  readonly _id: string;
  readonly n: number;
}

async function open() {
  const set = await openTestReplicaSet();
  const client = new MongoClient(set.url("test"), { writeConcern: { w: "majority", journal: true } });
  onTestFinished(async () => {
    await client.close();
    await set.close();
  });
  const things = client.db().collection<Thing>("things");
  return { set, client, things };
}

/** Adds 1 to a thing in a transaction. */
function addOne(client: MongoClient, things: Collection<Thing>, meanwhile = async () => {}): Promise<void> {
  return client.withSession((session) =>
    session.withTransaction(async () => {
      const found = await things.findOne({ _id: "a" }, { session });
      await meanwhile();
      await things.updateOne({ _id: "a" }, { $set: { n: (found?.n ?? 0) + 1 } }, { session });
    }),
  );
}

describe("the test replica set", () => {
  it("rejects a second document with the same _id", async () => {
    const { things } = await open();
    await things.insertOne({ _id: "a", n: 1 });
    await expect(things.insertOne({ _id: "a", n: 2 })).rejects.toMatchObject({ code: 11000 });
  });

  it("retries one of two transactions that write the same document, so that no write is lost", async () => {
    const { client, things } = await open();
    await things.insertOne({ _id: "a", n: 0 });
    await Promise.all(Array.from({ length: 8 }, () => addOne(client, things)));
    expect(await things.findOne({ _id: "a" })).toEqual({ _id: "a", n: 8 });
  });

  it("shows a transaction the state at its start", async () => {
    const { client, things } = await open();
    await things.insertMany([
      { _id: "a", n: 1 },
      { _id: "b", n: 1 },
    ]);
    await client.withSession(async (session) => {
      session.startTransaction();
      const before = await things.findOne({ _id: "a" }, { session });
      await things.updateMany({}, { $set: { n: 2 } });
      const after = await things.findOne({ _id: "b" }, { session });
      await session.commitTransaction();
      expect([before?.n, after?.n]).toEqual([1, 1]);
    });
  });

  it("shows nothing of an aborted transaction", async () => {
    const { client, things } = await open();
    await client.withSession(async (session) => {
      session.startTransaction();
      await things.insertOne({ _id: "a", n: 1 }, { session });
      await session.abortTransaction();
    });
    expect(await things.countDocuments({})).toBe(0);
  });

  it("acknowledges a write when a majority has it", async () => {
    const { set, things } = await open();
    await things.insertOne({ _id: "a", n: 1 });
    set.lag(undefined);
    let isThere = false;
    const writing = things.insertOne({ _id: "b", n: 1 }).then(() => {
      isThere = true;
    });
    await pause(50);
    expect(isThere).toBe(false);
    set.lag(0);
    await writing;
  });

  it("applies a write once although its first answer is lost", async () => {
    const { set, things } = await open();
    await things.insertOne({ _id: "a", n: 0 });
    let losses = 1;
    set.onCommand = ({ name }) => (name === "update" && losses-- > 0 ? "lose answer" : "answer");
    await things.updateOne({ _id: "a" }, { $inc: { n: 1 } });
    expect(await things.findOne({ _id: "a" })).toMatchObject({ n: 1 });
  });

  it("commits a transaction once although the answer to its commit is lost", async () => {
    const { set, client, things } = await open();
    await things.insertOne({ _id: "a", n: 0 });
    let losses = 1;
    set.onCommand = ({ name }) => (name === "commitTransaction" && losses-- > 0 ? "lose answer" : "answer");
    await addOne(client, things);
    expect(await things.findOne({ _id: "a" })).toMatchObject({ n: 1 });
  });

  it("rolls back what only the old primary had when another one takes over", async () => {
    const { set, client, things } = await open();
    await things.insertOne({ _id: "a", n: 1 });
    set.lag(undefined);
    const once = client.db().collection<Thing>("things", { writeConcern: { w: 1 } });
    await once.insertOne({ _id: "b", n: 1 });
    set.failOver();
    set.lag(0);
    expect((await things.find({}).toArray()).map(({ _id }) => _id)).toEqual(["a"]);
  });

  it("retries a transaction whose primary steps down before its commit", async () => {
    const { set, client, things } = await open();
    await things.insertOne({ _id: "a", n: 0 });
    let failures = 1;
    await addOne(client, things, async () => {
      if (failures-- > 0) set.failOver();
    });
    expect(await things.findOne({ _id: "a" })).toMatchObject({ n: 1 });
  });

  it("sends each commit to a change stream in order", async () => {
    const { things } = await open();
    await things.insertOne({ _id: "before", n: 0 });
    const stream = things.watch();
    onTestFinished(() => stream.close());
    expect(await stream.tryNext()).toBeNull(); // opens it
    await things.insertOne({ _id: "a", n: 1 });
    await things.updateOne({ _id: "a" }, { $inc: { n: 1 } });
    await things.deleteOne({ _id: "a" });
    const seen: string[] = [];
    while (seen.length < 3) seen.push((await stream.next()).operationType);
    expect(seen).toEqual(["insert", "replace", "delete"]);
  });

  it("rejects an unknown command by name", async () => {
    const { client } = await open();
    const refused: MongoError = await client
      .db()
      .command({ mapReduce: "things" })
      .catch((error) => error);
    expect(refused.message).toBe("no such command: 'mapReduce'");
  });
});
