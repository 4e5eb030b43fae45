import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { AddressRefused, connect } from "../../../src/store/mongo/connection.js";
import {
  checkFormat,
  FORMAT_NUMBER,
  FormatUnsupported,
  formatOf,
  type Upgrade,
} from "../../../src/store/mongo/format.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { ensureIndexes, INDEXES } from "../../../src/store/mongo/tables.js";
import { event } from "../../contract/samples.js";
import { openFerret, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

async function emptyDatabase() {
  const database = databaseName();
  const url = peer.url(database);
  const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
  onTestFinished(async () => {
    await connection.client.close();
    await peer.drop(database);
  });
  return { url, connection };
}

describe(`opening a database: ${peer.name}`, () => {
  const open = { log: () => undefined, readOnly: false, newId: () => "id" };
  const step = (to: number, run: Upgrade["run"] = async () => undefined): Upgrade => ({ from: to - 1, to, run });

  it("gives a new store the newest format and an id, and leaves both when it is opened again", async () => {
    const { connection } = await emptyDatabase();
    expect(await checkFormat(connection, open)).toBe("id");
    expect(await checkFormat(connection, { ...open, newId: () => "another" })).toBe("id");
    expect(await checkFormat(connection, { ...open, readOnly: true })).toBe("id");
    expect(await formatOf(connection)).toBe(FORMAT_NUMBER);
  });

  it("gives a new store one id, however many servers open it at once", async () => {
    const { connection } = await emptyDatabase();
    const ids = await Promise.all([1, 2, 3, 4].map((n) => checkFormat(connection, { ...open, newId: () => `id${n}` })));
    expect(new Set(ids).size).toBe(1);
  });

  it.each([1, 8])("refuses a store of format %i, which is too old", async (format) => {
    const { connection } = await emptyDatabase();
    await connection.db
      .collection<{ _id: string; number: number }>("meta")
      .insertOne({ _id: "format", number: format });
    await expect(checkFormat(connection, open)).rejects.toThrow("it cannot be upgraded");
  });

  it("refuses a store of a newer format", async () => {
    const { url, connection } = await emptyDatabase();
    await checkFormat(connection, { ...open, upgrades: [step(FORMAT_NUMBER + 1)] });
    const opening = openMongoStore({ url, now: () => 0, limits: PATIENT });
    await expect(opening).rejects.toThrow(FormatUnsupported);
    await expect(opening).rejects.toThrow(`has format ${FORMAT_NUMBER + 1}`);
  });

  it("upgrades an older one step by step, a line for each", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, open);
    const lines: string[] = [];
    const steps: number[] = [];
    const upgrades = [NEXT, AFTER].map((to) => step(to, async () => void steps.push(to)));
    await checkFormat(connection, { ...open, log: (line) => lines.push(line), upgrades });
    expect(steps).toEqual([NEXT, AFTER]);
    expect(lines).toHaveLength(2);
    await expect(checkFormat(connection, open)).rejects.toThrow(FormatUnsupported);
  });

  it("goes on with the step that was interrupted", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, open);
    const steps: string[] = [];
    const upgrades = (outcome: string) => [
      step(NEXT, async () => void steps.push(`first ${outcome}`)),
      step(AFTER, async () => {
        steps.push(`second ${outcome}`);
        if (outcome === "fails") throw new Unavailable("cut off");
      }),
    ];
    const options = { ...open, beatMs: 5 };
    await expect(checkFormat(connection, { ...options, upgrades: upgrades("fails") })).rejects.toThrow("cut off");
    expect(await formatOf(connection)).toBe(NEXT);
    await checkFormat(connection, { ...options, upgrades: upgrades("succeeds") });
    expect(steps).toEqual(["first fails", "second fails", "second succeeds"]);
    expect(await formatOf(connection)).toBe(AFTER);
  });

  it("is upgraded by one server while those that start meanwhile wait", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, open);
    let running = 0;
    let runs = 0;
    const upgrades = [
      step(NEXT, async () => {
        runs++;
        expect(++running).toBe(1);
        await connection.db.collection("meta").findOne({});
        running--;
      }),
    ];
    const formats = await Promise.all(
      [1, 2, 3].map(async () => {
        await checkFormat(connection, { ...open, upgrades, beatMs: 200 });
        return formatOf(connection);
      }),
    );
    expect(formats).toEqual([NEXT, NEXT, NEXT]);
    expect(runs).toBe(1);
  });

  it("is not raised by a server whose upgrade another has taken over", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, open);
    const claims = connection.db.collection<{ _id: string }>("meta");
    const takeOver = async () => void (await claims.updateOne({ _id: "upgrade" }, { $set: { by: "another" } }));
    await expect(checkFormat(connection, { ...open, upgrades: [step(NEXT, takeOver)] })).rejects.toThrow(
      "took over the upgrade",
    );
    expect(await formatOf(connection)).toBe(FORMAT_NUMBER);
  });

  it("refuses an older one for reading only, or when there is no way up", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, open);
    const reading = checkFormat(connection, { ...open, readOnly: true, upgrades: [step(NEXT)] });
    await expect(reading).rejects.toThrow(FormatUnsupported);
    await expect(checkFormat(connection, { ...open, upgrades: [step(AFTER)] })).rejects.toThrow(FormatUnsupported);
  });

  it("makes a server that serves it not ready when a newer one upgrades it", async () => {
    const { url, connection } = await emptyDatabase();
    const store = await openMongoStore({ url, now: () => 0, limits: PATIENT });
    onTestFinished(() => store.close());
    await store.ready();
    await checkFormat(connection, { ...open, upgrades: [step(FORMAT_NUMBER + 1)] });
    await expect(store.ready()).rejects.toThrow(Unavailable);
  });

  it("makes the indexes that are listed, and makes them again without harm", async () => {
    const { connection } = await emptyDatabase();
    await ensureIndexes(connection);
    await ensureIndexes(connection);
    for (const { collection, name, key } of INDEXES) {
      const found = await connection.db.collection(collection).indexes();
      expect(found).toContainEqual(expect.objectContaining({ name, key }));
    }
  });

  it("says in one line what was found", async () => {
    const { url } = await emptyDatabase();
    const lines: string[] = [];
    const store = await openMongoStore({ url, now: () => 0, limits: PATIENT, log: (line) => lines.push(line) });
    await store.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^The store is MongoDB \d+\.\d+\.\d+, (?:replica set|sharded cluster); /);
  });

  it("for reading only shows what is there and refuses works", async () => {
    const { url } = await emptyDatabase();
    const options = { url, now: () => 0, limits: PATIENT };
    await expect(openMongoStore({ ...options, readOnly: true })).rejects.toThrow(Unavailable);
    const writer = await openMongoStore(options);
    onTestFinished(() => writer.close());
    await writer.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    const reader = await openMongoStore({ ...options, readOnly: true });
    onTestFinished(() => reader.close());
    expect(await reader.events.get("shop", "e1")).toEqual(event("e1"));
    await expect(reader.unitOfWork.run("shop", () => 1)).rejects.toThrow(Unavailable);
    await expect(reader.ready()).rejects.toThrow(Unavailable);
  });
});

const NEXT = FORMAT_NUMBER + 1;
const AFTER = FORMAT_NUMBER + 2;

describe("opening a database on a server without transactions: FerretDB", () => {
  it("is refused with one line that says what is needed", async () => {
    const ferret = await openFerret();
    onTestFinished(() => ferret.stop());
    const opening = openMongoStore({ url: ferret.url(databaseName()), now: () => 0, limits: PATIENT });
    await expect(opening).rejects.toThrow(
      "The MongoDB server has no snapshot transactions: Aisle needs a replica set or a sharded cluster of MongoDB 4.4 or newer",
    );
  }, 900_000);
});

describe("opening without a server", () => {
  const opening = (url: string) => openMongoStore({ url, now: () => 0, limits: { answerMs: 100 } });

  it("rejects with Unavailable", async () => {
    await expect(opening("mongodb://127.0.0.1:1/aisle")).rejects.toThrow(Unavailable);
  });

  it.each(["no url", "http://127.0.0.1:1/"])("rejects with AddressRefused: %s", async (url) => {
    await expect(opening(url)).rejects.toThrow(AddressRefused);
  });
});
