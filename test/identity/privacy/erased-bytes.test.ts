import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BSON, MongoClient } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { openAisle } from "../../fixtures/aisle.js";
import { openMongoPeer } from "../../fixtures/mongo-peer.js";
import { makeShop } from "../../fixtures/small-shop.js";
import { makeDirectory } from "../../store/lmdb/open-embedded.js";
import { databaseName, PATIENT } from "../../store/mongo/open-mongo.js";
import { type Aisle, erase, MAJA, NAMES_OF_MAJA, visitShop } from "./person.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** A shop that has learned from both, and then forgets one of them. */
async function forgetMaja(aisle: Aisle): Promise<void> {
  await makeShop(aisle.rpc, "shop");
  await visitShop(aisle, "shop", ["maja", "omar"]);
  await aisle.trainer.train("shop", () => undefined);
  await erase(aisle, "shop", { email: MAJA.email });
  expect(aisle.faults).toEqual([]);
}

function namesIn(all: readonly Buffer[]): string[] {
  return NAMES_OF_MAJA.filter((name) => all.some((bytes) => bytes.includes(name)));
}

describe("after EraseVisitor", () => {
  it("no byte of the data directory names the person after the next start", async () => {
    const directory = await makeDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const files = () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => readFileSync(join(file.parentPath, file.name)));
    const aisle = await openAisle((now) => openEmbeddedStore({ directory, now }));
    await forgetMaja(aisle);
    aisle.close();
    await aisle.store.close();
    expect(namesIn(files())).not.toEqual([]); // in the free space of the file
    await (await openEmbeddedStore({ directory, now: aisle.now })).close();
    expect(files().length).toBeGreaterThan(1);
    expect(namesIn(files())).toEqual([]);
    expect((await verifyStore(directory)).faultCount).toBe(0);
  });

  describe(`over MongoDB: ${peer.name}`, () => {
    it("no document of any collection names the person", async () => {
      const database = databaseName();
      const url = peer.url(database) ?? "";
      const client = await MongoClient.connect(url);
      onTestFinished(async () => {
        await client.close();
        await peer.drop(database);
      });
      const documents = async () => {
        const all: Buffer[] = [];
        for (const { collectionName } of await client.db(database).collections())
          for await (const document of client.db(database).collection(collectionName).find())
            all.push(Buffer.from(BSON.serialize(document)));
        return all;
      };
      const aisle = await openAisle((now) => openMongoStore({ url, now, limits: PATIENT }));
      await forgetMaja(aisle);
      aisle.close();
      await aisle.store.close();
      expect(namesIn(await documents())).toEqual([]);
      expect((await documents()).length).toBeGreaterThan(100);
    });
  });

  it("the next model is byte for byte that of a shop that never knew the person", async () => {
    const modelOf = async (persons: readonly ("maja" | "omar")[]) => {
      const aisle = await openAisle();
      await makeShop(aisle.rpc, "shop");
      await visitShop(aisle, "shop", persons);
      if (persons.includes("maja")) await erase(aisle, "shop", { email: MAJA.email });
      const { modelId } = await aisle.trainer.train("shop", () => undefined);
      return Buffer.concat((await aisle.store.models.read("shop", modelId)) ?? []);
    };
    const without = await modelOf(["omar"]);
    expect(without.length).toBeGreaterThan(1000);
    expect((await modelOf(["maja", "omar"])).equals(without)).toBe(true);
  });
});
