import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { DataDamaged, Unavailable } from "../../../src/domain/errors.js";
import { keyOf } from "../../../src/store/keys.js";
import { connect } from "../../../src/store/mongo/connection.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { openTables } from "../../../src/store/mongo/tables.js";
import { event, model, product } from "../../contract/samples.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

async function opened() {
  const database = databaseName();
  const url = peer.url(database);
  const damaged: string[] = [];
  const onDamage = (table: string) => damaged.push(table);
  const store = await openMongoStore({ url, now: () => 1000, limits: PATIENT, onDamage });
  const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
  onTestFinished(async () => {
    await store.close();
    await connection.client.close();
    await peer.drop(database);
  });
  return { store, damaged, connection, tables: openTables(connection) };
}

describe(`what others wrote into the database: ${peer.name}`, () => {
  it("a document of another layout is refused and reported, by reads and by works", async () => {
    const { store, damaged, tables } = await opened();
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    await tables.events.collection.insertOne(tables.events.documentOf(keyOf("shop", "e2"), "shop", { eventId: 7 }));
    await tables.products.collection.insertOne(tables.products.documentOf(keyOf("shop", "p1"), "shop", "a product"));
    await expect(store.events.get("shop", "e2")).rejects.toThrow(DataDamaged);
    await expect(store.events.list("shop", "", 10, false)).rejects.toThrow(DataDamaged);
    await expect(store.unitOfWork.run("shop", (tx) => tx.products.get("p1"))).rejects.toThrow(DataDamaged);
    expect(await store.events.get("shop", "e1")).toEqual(event("e1"));
    expect(new Set(damaged)).toEqual(new Set(["events", "products"]));
  });

  it("a snapshot whose bytes changed or are gone is refused and reported", async () => {
    const { store, damaged, connection } = await opened();
    const bytes = new Uint8Array(Buffer.from("some bytes"));
    for (const id of ["m1", "m2"]) await store.models.put("shop", model(id, bytes), [bytes]);
    const chunks = connection.db.collection("snapshots.chunks");
    const files = await connection.db.collection("snapshots.files").find().toArray();
    const idOf = (modelId: string) => files.find((file) => file.filename === keyOf("shop", modelId))?._id;
    await chunks.updateOne({ files_id: idOf("m1") }, { $set: { data: Buffer.from("some bytez") } });
    await chunks.deleteMany({ files_id: idOf("m2") });
    await expect(store.models.read("shop", "m1")).rejects.toThrow(DataDamaged);
    await expect(store.models.read("shop", "m2")).rejects.toThrow(DataDamaged);
    expect(damaged).toEqual(["models", "models"]);
  });
});

describe(`limits: ${peer.name}`, () => {
  it("a work may write more than one command holds, and those gathered with it are made", async () => {
    const { store } = await opened();
    const big = "x".repeat(1_000_000);
    const put = (from: number, count: number) =>
      store.unitOfWork.run("shop", (tx) => {
        for (let n = from; n < from + count; n++) tx.products.put(`p${n}`, product(`p${n}`, { description: big }));
      });
    await Promise.all([put(0, 6), put(100, 30), put(6, 6), put(12, 6)]);
    expect(await store.products.list("shop", "", 100)).toHaveLength(48);
  });

  it("a work is refused at once when too many wait", async () => {
    const { connection } = await opened();
    const url = peer.url(connection.db.databaseName);
    const store = await openMongoStore({ url, now: () => 1000, limits: { ...PATIENT, maxWaiting: 5 } });
    onTestFinished(() => store.close());
    const works = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => store.unitOfWork.run("shop", (tx) => tx.events.put(`e${n}`, event(`e${n}`)))),
    );
    const refused = works.filter((work) => work.status === "rejected");
    expect(refused).toHaveLength(3);
    for (const work of refused) expect(work.reason).toBeInstanceOf(Unavailable);
    expect(await store.events.list("shop", "", 10, false)).toHaveLength(5);
  });

  it("idempotency records and news go when their time has passed", async () => {
    const { connection, tables } = await opened();
    let at = 1000;
    const url = peer.url(connection.db.databaseName);
    const store = await openMongoStore({ url, now: () => at, limits: PATIENT });
    onTestFinished(() => store.close());
    await store.unitOfWork.run("shop", (tx) => {
      tx.products.put("p1", product("p1"));
      tx.idempotency.put("k1", { eventId: "e1", bodyHash: "h", claimedAt: at });
    });
    const news = connection.db.collection("news");
    await news.updateMany({}, { $set: { at: new Date(Date.now() - 2 * 3_600_000) } });
    at += 3 * 24 * 3_600_000;
    const later = await openMongoStore({ url, now: () => at, limits: PATIENT }); // sweeps when it is opened
    onTestFinished(() => later.close());
    const keys = () => tables.idempotency.collection.countDocuments({ kind: "idempotency" });
    await expect.poll(keys, { timeout: 20_000 }).toBe(0);
    await expect.poll(() => news.countDocuments(), { timeout: 20_000 }).toBe(0);
    expect(await store.products.get("shop", "p1")).toBeDefined();
  });
});
