import { rm } from "node:fs/promises";
import { open } from "lmdb";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { Product } from "../../src/domain/product.js";
import { codecOf } from "../../src/store/lmdb/codec.js";
import { openEnvironment } from "../../src/store/lmdb/environment.js";
import { FORMAT_KEY, openMeta } from "../../src/store/lmdb/format.js";
import type { Key } from "../../src/store/lmdb/keys.js";
import { openEmbeddedStore } from "../../src/store/lmdb/store.js";
import { verifyStore } from "../../src/store/lmdb/verify.js";
import { connect } from "../../src/store/mongo/connection.js";
import { openMongoStore } from "../../src/store/mongo/store.js";
import type { EarlierDocument } from "../../src/store/mongo/upgrade/move-records.js";
import { verifyMongo } from "../../src/store/mongo/verify.js";
import type { Store } from "../../src/store/ports/store.js";
import { SCHEMA } from "../../src/store/schema/schema.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { testApp } from "../fixtures/store.js";
import { makeDirectory } from "./lmdb/open-embedded.js";
import { databaseName, PATIENT } from "./mongo/open-mongo.js";

const productCodec = codecOf(SCHEMA.products);

/** Who had sent a learned product, as format 4 kept it within the product. */
interface LearnedFrom {
  readonly count: number;
  readonly confirmed: boolean;
  readonly visitors: readonly string[];
}

interface Earlier {
  readonly product: Product;
  readonly learnedFrom: LearnedFrom | null;
}

const fed = (productId: string, more: Partial<Product> = {}): Earlier => ({
  product: bareProduct(productId, { title: "Fed", updatedAt: 1, ...more }),
  learnedFrom: null,
});
const sent = (productId: string, count: number, confirmed: boolean, more: Partial<Product> = {}): Earlier => ({
  product: bareProduct(productId, { origin: "event", updatedAt: 2, ...more }),
  learnedFrom: { count, confirmed, visitors: confirmed ? [] : ["a", "b"] },
});

/** What format 4 let happen: events took SKUs of feed products over, and too few visitors filled the catalogue. */
const HURT: readonly Earlier[] = [
  fed("fed1", { sku: "s1" }),
  fed("fed2", { sku: "s2", url: 'https://a.example/x"onerror="y' }),
  fed("fed3", { sku: "s3", updatedAt: 1 }),
  fed("fed4", { sku: "s3", updatedAt: 1 }),
  sent("thief", 1, true, { sku: "s1" }),
  sent("waiting", 2, false, { sku: "s2" }),
  sent("waiting alone", 1, false, { sku: "s5" }),
  sent("enough", 3, false, { sku: "s6" }),
  { product: bareProduct("old", { origin: "event", sku: "s7" }), learnedFrom: null },
];
/** SKUs as format 4 indexed them: each leads to the product that was written last with it. */
const INDEX = { s1: "thief", s2: "waiting", s3: "fed3", s5: "waiting alone", s6: "enough", s7: "old" };

async function expectRepaired(store: Store): Promise<void> {
  const found = new Map<string, Product>();
  for await (const batch of store.products.scan("shop")) for (const one of batch) found.set(one.productId, one);
  expect([...found.keys()].sort()).toEqual(["enough", "fed1", "fed2", "fed3", "fed4", "old", "thief"]);
  expect(found.get("thief")?.sku).toBe("");
  expect(found.get("fed2")?.url).toBe("https://a.example/x%22onerror=%22y");
  const owners = await Promise.all(
    Object.keys(INDEX).map(async (sku) => (await store.products.getBySku("shop", sku))?.productId),
  );
  expect(owners).toEqual(["fed1", "fed2", "fed3", undefined, "enough", "old"]);
  const counts = await store.unitOfWork.run("shop", (tx) => tx.productCounts);
  expect(counts).toEqual({ fed: 4, learned: 3 });
}

describe("an embedded store of format 4", () => {
  it("is repaired when it is opened, and then passes verification", async () => {
    const directory = await makeDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const made = await openEmbeddedStore({ directory, now: () => 5 });
    await made.apps.create(testApp("shop"));
    await made.close();
    const environment = await openEnvironment(directory, false, () => undefined);
    await environment.transact(() => {
      const { products, productSkus, productCounts } = environment.tables;
      for (const { product, learnedFrom } of HURT) {
        const earlier = products.as<Product>({
          ...productCodec,
          toCells: (value) => productCodec.toCells(value).with(17, learnedFrom && cellsOf(learnedFrom)),
        });
        const key = `shop\0${product.productId}`;
        earlier.putNow(key, earlier.encode(key, product));
      }
      for (const [sku, id] of Object.entries(INDEX))
        productSkus.putNow(`shop\0${sku}`, productSkus.encode(`shop\0${sku}`, id));
      productCounts.removeNow("shop\0app");
    });
    await environment.close();
    await makeFormat4(directory);

    const store = await openEmbeddedStore({ directory, now: () => 5 });
    await expectRepaired(store);
    await store.close();
    expect(await verifyStore(directory)).toMatchObject({ faultCount: 0, faults: [] });
  });
});

/** As the store keeps keys and values. */
const AS_BYTES = {
  encoding: "binary",
  keyEncoder: {
    writeKey: (key: Key, target: Buffer, start: number) => start + target.write(key, start),
    readKey: (source: Buffer, start: number, end: number) => source.toString("utf8", start, end),
  },
} as const;

/** Gives the store the number of the format before. */
async function makeFormat4(directory: string): Promise<void> {
  const root = open<Uint8Array, Key>(directory, {
    noSubdir: false,
    overlappingSync: false,
    maxDbs: 64,
    encoding: "binary",
  });
  const database = root.openDB<Uint8Array, Key>("meta", { name: "meta", ...AS_BYTES });
  const { numbers } = openMeta(database, {
    onDamage: () => undefined,
    closed: false,
    pinned: false,
    view: () => undefined,
  });
  root.transactionSync(() => numbers.putNow(FORMAT_KEY, numbers.encode(FORMAT_KEY, 4)));
  await root.close();
}

function cellsOf({ count, confirmed, visitors }: LearnedFrom): unknown[] {
  return [count, confirmed, visitors];
}

const peer = await openMongoPeer();
afterAll(() => peer.stop());

describe("a MongoDB store of format 4", () => {
  it("is repaired when it is opened, and a second repair changes nothing", async () => {
    const database = databaseName();
    const url = peer.url(database);
    const { connection } = await connect(url, PATIENT.answerMs, () => undefined);
    onTestFinished(async () => {
      await connection.client.close();
      await peer.drop(database);
    });
    const made = await openMongoStore({ url, now: () => 5, limits: PATIENT });
    await made.apps.create(testApp("shop"));
    await made.close();
    const collection = (name: string) => connection.db.collection<EarlierDocument>(name);
    for (const { product, learnedFrom } of HURT) {
      const v = { ...product, attributes: [], learnedFrom };
      await collection("products").insertOne({ _id: `shop\0${product.productId}`, app: "shop", rev: 3, v });
    }
    for (const [sku, id] of Object.entries(INDEX))
      await collection("productSkus").insertOne({ _id: `shop\0${sku}`, app: "shop", rev: 3, v: id });
    const before = () =>
      connection.db.collection<{ _id: string }>("meta").updateOne({ _id: "format" }, { $set: { number: 4 } });

    for (let run = 0; run < 2; run++) {
      await before();
      const store = await openMongoStore({ url, now: () => 5, limits: PATIENT });
      await expectRepaired(store);
      await store.close();
    }
    expect(await verifyMongo(url, PATIENT.answerMs)).toMatchObject({ faultCount: 0 });
  });
});
