import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { type Environment, openEnvironment } from "../../../src/store/lmdb/environment.js";
import { timeText } from "../../../src/store/lmdb/keys.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { MAX_FAULTS, verifyStore } from "../../../src/store/lmdb/verify.js";
import {
  app,
  change,
  contact,
  event,
  frame,
  model,
  order,
  pointer,
  product,
  view,
  visitor,
} from "../../contract/samples.js";
import { putFrame } from "../../fixtures/put-records.js";
import { makeDirectory } from "./open-embedded.js";

describe("the verification of an embedded store", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await makeDirectory();
    const store = await openEmbeddedStore({ directory, now: () => 5 });
    await store.apps.create(app("shop"));
    await putFrame(store, "shop", frame("f1"));
    await store.unitOfWork.run("shop", (tx) => {
      for (const id of ["e1", "e2"]) tx.events.put(id, event(id));
      tx.idempotency.put("i\0 1", { eventId: "e1", bodyHash: "h", claimedAt: 5 });
      tx.visitors.put("v1", visitor("v1", { keys: ["c:1", "f:2"] }));
      for (const key of ["c:1", "f:2"]) tx.visitorKeys.put(key, "v1");
      tx.contacts.put("k1", contact("k1", { email: "A@b.de", phone: "+49 123 456" }));
      for (const key of ["e:a@b.de", "p:+49123456"]) tx.contactKeys.put(key, "k1");
      tx.changes.put("c1", change("c1", "k1"));
      tx.changes.put("n000000000001", change("n000000000001", ""));
      tx.ledgerHead.put("app", { count: 1, hash: "h" });
      tx.products.put("p1", product("p1", { sku: "s1" }));
      tx.products.put("p2", product("p2", { sku: "s1" })); // takes the SKU over
      tx.orders.put("o1", order("o1"));
      tx.putInteraction("v1", view(1, "e1"));
      tx.putInteraction("v1", { type: "order", at: 2, productIds: ["p1"], ref: "order:o1" });
      tx.markChanged();
    });
    const bytes = Buffer.from("bytes");
    await store.models.put("shop", model("m1", bytes), [bytes]);
    await store.models.setPointer("shop", () => pointer("m1", "1"));
    await store.close();
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Changes tables past the ports, in one transaction. */
  async function tamper(body: (tables: Environment["tables"]) => void): Promise<void> {
    const environment = await openEnvironment(directory, false, () => undefined);
    await environment.transact(() => body(environment.tables));
    await environment.close();
  }
  const faultsAfter = async (body: (tables: Environment["tables"]) => void) => {
    await tamper(body);
    const { faults } = await verifyStore(directory);
    return faults.map(({ table, kind, key }) => `${table} ${kind} ${key}`);
  };

  it("finds no fault in a sound one, and counts all records", async () => {
    const report = await verifyStore(directory);
    expect(report).toMatchObject({ faultCount: 0, faults: [], modelFiles: 1, orphanFiles: 0 });
    expect(report.entries).toEqual({
      apps: 1,
      frames: 1,
      frameVersions: 2,
      frameTallies: 0,
      frameExposures: 0,
      dueResults: 0,
      events: 2,
      idempotency: 1,
      idempotencyTimes: 1,
      rejectedEvents: 0,
      rejectedLogs: 0,
      visitors: 1,
      visitorKeys: 2,
      interactions: 2,
      contacts: 1,
      contactKeys: 2,
      changes: 2,
      contactChanges: 1,
      products: 2,
      productSkus: 1,
      productCounts: 1,
      unconfirmedProducts: 0,
      operations: 0,
      orders: 1,
      erasures: 0,
      models: 1,
      networkLinks: 0,
      pointers: 1,
      activity: 1,
      leases: 0,
      ledgerHeads: 1,
      mailingSecrets: 0,
      confirmations: 0,
      outbox: 0,
      deadHooks: 0,
      suppressions: 0,
      feeds: 0,
      removals: 0,
      copies: 0,
    });
  });

  it("names app and key of a damaged value, and continues after it", async () => {
    await tamper(({ events }) => {
      for (const id of ["e1", "e2"]) {
        const bytes = events.encode(`shop\0${id}`, event(id));
        bytes[3]! ^= 4;
        events.putNow(`shop\0${id}`, bytes);
      }
    });
    expect(await verifyStore(directory)).toMatchObject({
      faultCount: 2,
      faults: [
        { table: "events", kind: "value", appId: "shop", key: "e1" },
        { table: "events", kind: "value", appId: "shop", key: "e2" },
      ],
      entries: { events: 2 },
    });
  });

  it.each<[string, string[], (tables: Environment["tables"]) => void]>([
    ["a lost visitor", ["visitorKeys index c:1", "visitorKeys index f:2"], (t) => t.visitors.removeNow("shop\0v1")],
    ["a lost visitor key", ["visitors unindexed v1"], (t) => t.visitorKeys.removeNow("shop\0f:2")],
    [
      "a lost contact",
      ["contactKeys index e:a@b.de", "contactKeys index p:+49123456"],
      (t) => t.contacts.removeNow("shop\0k1"),
    ],
    ["a lost contact key", ["contacts unindexed k1"], (t) => t.contactKeys.removeNow("shop\0p:+49123456")],
    ["a lost change", ["contactChanges index k1 c1"], (t) => t.changes.removeNow("shop\0c1")],
    ["a lost change of a contact", ["changes unindexed c1"], (t) => t.contactChanges.removeNow("shop\0k1\0c1")],
    ["a lost last entry of a ledger", ["ledgerHeads reference app"], (t) => t.changes.removeNow("shop\0n000000000001")],
    ["a lost product", ["productSkus index s1", "productCounts index app"], (t) => t.products.removeNow("shop\0p2")],
    [
      "a SKU of another product",
      ["productSkus index s2"],
      (t) => t.productSkus.putNow("shop\0s2", t.productSkus.encode("shop\0s2", "p1")),
    ],
    [
      "a SKU that a learned product has taken from one of a feed",
      ["products index p2"],
      (t) => {
        const learned = product("p1", { sku: "s1", origin: "event" });
        t.products.putNow("shop\0p1", t.products.encode("shop\0p1", learned));
        t.productSkus.putNow("shop\0s1", t.productSkus.encode("shop\0s1", "p1"));
        t.productCounts.putNow("shop\0app", t.productCounts.encode("shop\0app", { fed: 1, learned: 1 }));
      },
    ],
    ["a lost event", [`interactions reference v1 ${timeText(1)}e1`], (t) => t.events.removeNow("shop\0e1")],
    ["a lost order", [`interactions reference v1 ${timeText(2)}order:o1`], (t) => t.orders.removeNow("shop\0o1")],
    ["a lost model", ["pointers reference app"], (t) => t.models.removeNow("shop\0m1")],
    [
      "a lost time of an idempotency key",
      ["idempotency unindexed i\x01\x01 1"],
      (t) => {
        for (const key of t.idempotencyTimes.keys({ start: "\0", end: "z" })) t.idempotencyTimes.removeNow(key);
      },
    ],
  ])("finds %s", async (_, faults, change) => {
    expect(await faultsAfter(change)).toEqual(faults);
  });

  it("finds a missing or changed model file, and counts those without a record", async () => {
    const path = join(directory, "models", "shop", "m1.snapshot");
    const kinds = async () =>
      (await verifyStore(directory)).faults.map(({ table, kind, key }) => `${table} ${kind} ${key}`);
    await writeFile(path, "other");
    expect(await kinds()).toEqual(["models file m1"]);
    await rm(path);
    expect(await kinds()).toEqual(["models file m1"]);
    await mkdir(path);
    expect(await kinds()).toEqual(["models file m1"]);
    await rm(path, { recursive: true });
    await writeFile(path, "bytes");
    await writeFile(join(directory, "models", "shop", "m2.snapshot"), "bytes");
    expect(await verifyStore(directory)).toMatchObject({ faultCount: 0, modelFiles: 1, orphanFiles: 1 });
  });

  it("lists the first of very many faults and counts them all", async () => {
    await tamper(({ frames }) => {
      for (let n = 0; n < MAX_FAULTS + 10; n++) frames.putNow(`shop\0f${n}`, Buffer.from("damaged"));
    });
    const report = await verifyStore(directory);
    expect(report.faultCount).toBe(MAX_FAULTS + 10);
    expect(report.faults).toHaveLength(MAX_FAULTS);
  });

  it("sees a single commit while others write", async () => {
    const store = await openEmbeddedStore({ directory, now: () => 5 });
    let isRunning = true;
    const writing = (async () => {
      for (let n = 0; isRunning; n++) {
        await store.unitOfWork.run("shop", (tx) => {
          const id = `v${n % 50}`;
          const before = tx.visitors.get(id);
          if (before === undefined) {
            tx.visitors.put(id, visitor(id, { keys: [`c:${id}`] }));
            tx.visitorKeys.put(`c:${id}`, id);
          } else {
            tx.visitors.delete(id);
            for (const key of before.keys) tx.visitorKeys.delete(key);
          }
        });
      }
    })();
    for (let n = 0; n < 5; n++) {
      const release = store.hold();
      expect((await verifyStore(directory)).faults).toEqual([]);
      release();
    }
    isRunning = false;
    await writing;
    await store.close();
  });

  it("is rejected where there is no store", async () => {
    await expect(verifyStore(join(directory, "nothing"))).rejects.toBeInstanceOf(Unavailable);
  });
});
