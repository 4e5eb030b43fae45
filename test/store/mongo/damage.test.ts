import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { DataDamaged, InvalidArgument, Unavailable } from "../../../src/domain/errors.js";
import { connect } from "../../../src/store/mongo/connection.js";
import { appKey, keyOf } from "../../../src/store/mongo/keys.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { openTables } from "../../../src/store/mongo/tables.js";
import { event, model, product } from "../../contract/samples.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer?.stop());

async function opened() {
  const database = databaseName();
  const url = peer!.url(database);
  const damaged: string[] = [];
  const onDamage = (table: string) => damaged.push(table);
  const store = await openMongoStore({ url, now: () => 1000, limits: PATIENT, onDamage });
  const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
  onTestFinished(async () => {
    await store.close();
    await connection.client.close();
    await peer!.drop(database);
  });
  return { store, damaged, connection, tables: openTables(connection) };
}

describe.skipIf(peer === undefined)(`what others wrote into the database: ${peer?.name ?? NO_PEER}`, () => {
  it("a document of another layout is refused and reported, by reads and by works", async () => {
    const { store, damaged, tables } = await opened();
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    await tables.events.collection.insertOne({ _id: keyOf("shop", "e2"), app: "shop", rev: 1, v: { eventId: 7 } });
    await tables.products.collection.insertOne({ _id: keyOf("shop", "p1"), app: "shop", rev: 1, v: "a product" });
    await expect(store.events.get("shop", "e2")).rejects.toThrow(DataDamaged);
    await expect(store.events.list("shop", "", 10, false)).rejects.toThrow(DataDamaged);
    await expect(store.unitOfWork.run("shop", (tx) => tx.products.get("p1"))).rejects.toThrow(DataDamaged);
    expect(await store.events.get("shop", "e1")).toEqual(event("e1"));
    expect(new Set(damaged)).toEqual(new Set(["events", "products"]));
  });

  it("a snapshot whose bytes changed or are gone is refused and reported", async () => {
    const { store, damaged, connection } = await opened();
    const bytes = new Uint8Array(Buffer.from("some bytes"));
    for (const id of ["m1", "m2"]) await store.models.put("shop", model(id, bytes), bytes);
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

describe.skipIf(peer === undefined)(`limits: ${peer?.name ?? NO_PEER}`, () => {
  it("a work that writes more than one document holds is refused, and those gathered with it are made", async () => {
    const { store } = await opened();
    const big = "x".repeat(1_000_000);
    const put = (from: number, count: number) =>
      store.unitOfWork.run("shop", (tx) => {
        for (let n = from; n < from + count; n++) tx.products.put(`p${n}`, product(`p${n}`, { description: big }));
      });
    const [first, tooBig, ...rest] = await Promise.allSettled([put(0, 6), put(100, 17), put(6, 6), put(12, 6)]);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(tooBig).toMatchObject({ status: "rejected", reason: expect.any(InvalidArgument) });
    expect(rest).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
    const ids = (await store.products.list("shop", "", 100)).map((one) => one.productId);
    expect(ids).toHaveLength(18);
  });

  it("a work is refused at once when too many wait", async () => {
    const { connection } = await opened();
    const url = peer!.url(connection.db.databaseName);
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

  it("tombstones and idempotency records go when their time has passed", async () => {
    const { connection, tables } = await opened();
    let at = 1000;
    const url = peer!.url(connection.db.databaseName);
    const store = await openMongoStore({ url, now: () => at, limits: PATIENT });
    onTestFinished(() => store.close());
    await store.unitOfWork.run("shop", (tx) => {
      tx.products.put("p1", product("p1"));
      tx.products.put("p2", product("p2"));
      tx.idempotency.put("k1", { eventId: "e1", bodyHash: "h", claimedAt: at });
    });
    await store.unitOfWork.run("shop", (tx) => tx.products.delete("p1"));
    expect(await tables.products.collection.countDocuments()).toBe(2);
    at += 3 * 24 * 3_600_000;
    const later = await openMongoStore({ url, now: () => at, limits: PATIENT }); // sweeps when it is opened
    onTestFinished(() => later.close());
    await expect.poll(() => tables.products.collection.countDocuments(), { timeout: 20_000 }).toBe(1);
    await expect.poll(() => tables.idempotency.collection.countDocuments(), { timeout: 20_000 }).toBe(0);
    await later.unitOfWork.run("shop", (tx) => tx.products.put("p1", product("p1", { title: "again" })));
    expect((await store.products.get("shop", "p1"))?.title).toBe("again");
    expect(await tables.apps.get(appKey("shop"))).toBeUndefined();
  });
});
