import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../../src/adapters/mongo/connection.js";
import { checkFormat, FORMAT_NUMBER, FormatUnsupported } from "../../../src/adapters/mongo/format.js";
import { openMongoStore } from "../../../src/adapters/mongo/store.js";
import { ensureIndexes, INDEXES } from "../../../src/adapters/mongo/tables.js";
import { Unavailable } from "../../../src/domain/errors.js";
import { event } from "../../contract/samples.js";
import { NO_PEER, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer?.stop());

async function emptyDatabase() {
  const database = databaseName();
  const url = peer!.url(database);
  const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
  onTestFinished(async () => {
    await connection.client.close();
    await peer!.drop(database);
  });
  return { url, connection };
}

describe.skipIf(peer === undefined)(`opening a database: ${peer?.name ?? NO_PEER}`, () => {
  const none = () => undefined;

  it("writes the format number of a new store and takes it again", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, none, false);
    await checkFormat(connection, none, false);
    await checkFormat(connection, none, true);
  });

  it("refuses a store of a newer format", async () => {
    const { url, connection } = await emptyDatabase();
    await checkFormat(connection, none, false, FORMAT_NUMBER + 1, new Map());
    const opening = openMongoStore({ url, now: () => 0, limits: PATIENT });
    await expect(opening).rejects.toThrow(FormatUnsupported);
    await expect(opening).rejects.toThrow(`has format ${FORMAT_NUMBER + 1}`);
  });

  it("upgrades an older one step by step, a line for each", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, none, false, 1);
    const lines: string[] = [];
    const steps: number[] = [];
    const upgrades = new Map([2, 3].map((to) => [to, async () => void steps.push(to)]));
    await checkFormat(connection, (line) => lines.push(line), false, 3, upgrades);
    expect(steps).toEqual([2, 3]);
    expect(lines).toHaveLength(2);
    await expect(checkFormat(connection, none, false, 1)).rejects.toThrow(FormatUnsupported);
  });

  it("refuses an older one for reading only, or when there is no way up", async () => {
    const { connection } = await emptyDatabase();
    await checkFormat(connection, none, false, 1);
    await expect(checkFormat(connection, none, true, 2, new Map([[2, async () => undefined]]))).rejects.toThrow(
      FormatUnsupported,
    );
    await expect(checkFormat(connection, none, false, 2, new Map())).rejects.toThrow(FormatUnsupported);
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
    expect(lines[0]).toMatch(/^The store is MongoDB \d+\.\d+\.\d+, (?:single server|replica set|sharded cluster), /);
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

describe("opening without a server", () => {
  it.each(["no url", "http://127.0.0.1:1/", "mongodb://127.0.0.1:1/aisle"])(
    "rejects with Unavailable: %s",
    async (url) => {
      await expect(openMongoStore({ url, now: () => 0, limits: { answerMs: 100 } })).rejects.toThrow(Unavailable);
    },
  );
});
