import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { Conflict } from "../../../src/domain/errors.js";
import { createAutomaticTraining } from "../../../src/learning/training/automatic-training.js";
import { createTrainer, type RunTraining } from "../../../src/learning/training/trainer.js";
import { createUuids } from "../../../src/server/uuids.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event } from "../../contract/samples.js";
import { bareProduct } from "../../fixtures/bare-product.js";
import { testApp, testClock } from "../../fixtures/store.js";
import { type StoreKind, storeKinds } from "../../fixtures/stores.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const stores = await storeKinds();

/** A process that trains over a store. A training says how much data there was. */
function trainingProcess(store: Store, now: () => number, training?: RunTraining) {
  const newId = createUuids({ now, randomUuid: randomUUID });
  const productCounts = (appId: string) => store.unitOfWork.run(appId, (tx) => tx.productCounts);
  const learn: RunTraining = async (appId) => {
    const { count } = await store.events.count(appId, "", Number.POSITIVE_INFINITY);
    const { fed, learned } = await productCounts(appId);
    const dataCounts = { events: count, products: fed + learned };
    return { manifest: { formatNumber: 1, cutOff: 0, seed: 0, dataCounts, algorithms: [] }, bytes: [Buffer.from("m")] };
  };
  const trainer = createTrainer({
    apps: store.apps,
    models: store.models,
    leases: store.leases,
    runTraining: training ?? learn,
    publish: async (appId, record, bytes, lease, madeAt) => {
      await store.models.put(appId, record, bytes, madeAt, lease);
      return { modelId: record.modelId, version: "1", activatedAt: 0, usedVersions: [], isHeld: false };
    },
    now,
    newModelId: newId,
    newLeaseHolder: newId,
  });
  const reads = {
    activity: vi.fn(store.models.activity),
    list: vi.fn(store.models.list),
    count: vi.fn(store.events.count),
    productCounts: vi.fn(productCounts),
  };
  const automatic = createAutomaticTraining({
    apps: store.apps,
    models: { activity: reads.activity, list: reads.list },
    events: { count: reads.count },
    productCounts: reads.productCounts,
    trainIfPossible: trainer.trainIfPossible,
    now,
  });
  return { trainer, automatic, reads, learn };
}

/** The app `shop` with a clock that the test moves, and the process that trains it. */
async function openShop(
  openStore: StoreKind["openStore"],
  { training, every = "auto" }: { readonly training?: RunTraining; readonly every?: "auto" | number } = {},
) {
  const now = testClock();
  const store = await openStore(now);
  await store.apps.create(testApp("shop"));
  const made = trainingProcess(store, now, training);
  const newId = createUuids({ now, randomUuid: randomUUID });
  const failures: unknown[] = [];
  const reasons = async () => (await store.models.list("shop")).map(({ reason }) => reason).reverse();
  return {
    ...made,
    store,
    now,
    failures,
    reasons,
    /** Lets so much time pass, looks once, and returns why the kept models were trained. */
    async look(afterMs: number) {
      now.at += afterMs;
      await made.automatic.trainDue(every, (_appId, error) => failures.push(error));
      return reasons();
    },
    async view(count: number) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let n = 0; n < count; n++) {
          const id = newId();
          tx.events.put(id, event(id));
        }
        tx.markChanged();
      });
    },
    async feed(from: number, count: number) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let n = from; n < from + count; n++) tx.products.put(`p${n}`, bareProduct(`p${n}`));
        tx.markChanged();
      });
    },
  };
}

/** A shop with a model of so many events. */
async function trainedShop(openStore: StoreKind["openStore"], events: number, more?: Parameters<typeof openShop>[1]) {
  const shop = await openShop(openStore, more);
  await shop.view(events);
  await shop.look(0);
  expect(await shop.look(30 * SECOND)).toEqual(["first_data"]);
  return shop;
}

describe.each(stores)("an app's first training: $name", ({ openStore }) => {
  it("comes 30 s after an import of products ended, and not while it goes on", async () => {
    const { look, feed } = await openShop(openStore);
    expect(await look(0)).toEqual([]);
    for (let n = 0; n < 5; n++) {
      await feed(100 * n, 100);
      expect(await look(20 * SECOND)).toEqual([]);
    }
    expect(await look(29 * SECOND)).toEqual([]);
    expect(await look(SECOND)).toEqual(["first_data"]);
  });

  it("comes within five minutes although events keep coming", async () => {
    const { look, view } = await openShop(openStore);
    await look(0);
    for (let n = 0; n < 14; n++) {
      await view(5);
      expect(await look(20 * SECOND)).toEqual([]);
    }
    await view(5);
    await look(20 * SECOND);
    await view(5);
    expect(await look(20 * SECOND)).toEqual(["first_data"]);
  });

  it("needs ten events when there are no products", async () => {
    const { look, view, reads } = await openShop(openStore);
    await view(9);
    await look(0);
    expect(await look(MINUTE)).toEqual([]);
    const { length } = reads.count.mock.calls;
    expect(await look(DAY)).toEqual([]);
    expect(reads.count.mock.calls).toHaveLength(length);
    await view(1);
    await look(0);
    expect(await look(MINUTE)).toEqual(["first_data"]);
  });
});

describe.each(stores)("an app with a model: $name", ({ openStore }) => {
  it("is trained again when its events grew by a tenth, not by less", async () => {
    const { look, view } = await trainedShop(openStore, 300);
    await view(29);
    expect(await look(10 * MINUTE)).toEqual(["first_data"]);
    expect(await look(10 * MINUTE)).toEqual(["first_data"]);
    await view(1);
    expect(await look(MINUTE)).toEqual(["first_data", "data_grew"]);
    await view(32);
    expect(await look(10 * MINUTE)).toEqual(["first_data", "data_grew"]);
    await view(1);
    expect(await look(MINUTE)).toEqual(["first_data", "data_grew", "data_grew"]);
  });

  it("is trained again when its products grew by a tenth, not by less", async () => {
    const { look, feed } = await openShop(openStore);
    await feed(0, 20);
    await look(0);
    await look(MINUTE);
    await feed(20, 1);
    expect(await look(10 * MINUTE)).toEqual(["first_data"]);
    await feed(21, 1);
    expect(await look(MINUTE)).toEqual(["first_data", "data_grew"]);
  });

  it("is trained every five minutes at most, however fast it grows", async () => {
    const { look, view } = await trainedShop(openStore, 20);
    await view(1000);
    expect(await look(5 * MINUTE - 1)).toEqual(["first_data"]);
    expect(await look(1)).toEqual(["first_data", "data_grew"]);
    await view(1000);
    expect(await look(5 * MINUTE - 1)).toEqual(["first_data", "data_grew"]);
    expect(await look(1)).toEqual(["first_data", "data_grew", "data_grew"]);
  });

  it("is trained after a day when one event came", async () => {
    const { look, view } = await trainedShop(openStore, 300);
    await view(1);
    expect(await look(DAY - 1)).toEqual(["first_data"]);
    expect(await look(1)).toEqual(["first_data"]); // looked at a moment ago
    expect(await look(MINUTE)).toEqual(["first_data", "schedule"]);
  });

  it("is not trained while nothing changes, and costs one read a minute", async () => {
    const { look, reads } = await trainedShop(openStore, 300);
    await look(10 * MINUTE);
    for (const read of Object.values(reads)) read.mockClear();
    for (let n = 0; n < 12 * 10; n++) await look(5 * SECOND);
    expect(await look(7 * DAY)).toEqual(["first_data"]);
    expect(reads.activity.mock.calls.length).toBeLessThanOrEqual(11);
    for (const read of [reads.list, reads.count, reads.productCounts]) expect(read).not.toHaveBeenCalled();
  });

  it("counts each new event once", async () => {
    const { look, view, reads } = await trainedShop(openStore, 1000);
    await look(10 * MINUTE);
    reads.count.mockClear();
    for (let n = 0; n < 9; n++) {
      await view(10);
      await look(MINUTE);
    }
    const counted = await Promise.all(reads.count.mock.results.map(({ value }) => value));
    expect(counted.map(({ count }) => count)).toEqual(new Array(9).fill(10));
    await view(10);
    expect(await look(MINUTE)).toEqual(["first_data", "data_grew"]);
  });

  it("is measured by its interactions when its model did not count events", async () => {
    const { look, view, store } = await trainedShop(openStore, 10);
    const [record] = await store.models.list("shop");
    const older = { ...record!, modelId: "older", createdAt: record!.createdAt + 1 };
    await store.models.put("shop", { ...older, manifest: { ...older.manifest, dataCounts: { interactions: 200 } } }, [
      Buffer.from("m"),
    ]);
    await look(MINUTE);
    await view(19);
    await look(10 * MINUTE);
    expect(await store.models.list("shop")).toHaveLength(2);
    await view(1);
    await look(MINUTE);
    expect(await store.models.list("shop")).toHaveLength(3);
  });

  it("is trained at a fixed interval when anything changed, whatever grew", async () => {
    const { look, view } = await trainedShop(openStore, 20, { every: HOUR });
    expect(await look(HOUR)).toEqual(["first_data"]);
    await view(1);
    expect(await look(HOUR)).toEqual(["first_data", "schedule"]);
    await view(1000);
    expect(await look(HOUR - 1)).toEqual(["first_data", "schedule"]);
    await look(1);
    expect(await look(HOUR)).toEqual(["first_data", "schedule", "schedule"]);
  });

  it("is trained once by two processes that both found it due", async () => {
    const { store, now, view, reasons } = await openShop(openStore);
    await view(20);
    const [one, two] = [trainingProcess(store, now), trainingProcess(store, now)];
    const look = () =>
      Promise.all([one, two].map(({ automatic }) => automatic.trainDue("auto", (_, error) => expect.fail(`${error}`))));
    await look();
    now.at += 30 * SECOND;
    await look();
    expect(await reasons()).toEqual(["first_data"]);
    // The other one asks only when the first has published and released the lease.
    expect(await two.trainer.trainIfPossible("shop", "first_data", undefined)).toBe(true);
    expect(await reasons()).toEqual(["first_data"]);
  });
});

describe.each(stores)("a training that fails: $name", ({ openStore }) => {
  it("is tried again after pauses that double up to an hour, and the model counts as old meanwhile", async () => {
    const started: number[] = [];
    let isBroken = true;
    const shop = await openShop(openStore, {
      training: (...asked) => {
        started.push(shop.now.at);
        return isBroken ? Promise.reject(new Error("broken")) : shop.learn(...asked);
      },
    });
    await shop.view(20);
    for (let minute = 0; minute < 4 * 60; minute++) await shop.look(MINUTE);
    const pauses = started.slice(1).map((at, n) => (at - started[n]!) / MINUTE);
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    expect(shop.failures).toHaveLength(started.length);
    expect(shop.automatic.behindSince()).toBe(testApp("shop").createdAt);
    isBroken = false;
    expect(await shop.look(HOUR)).toEqual(["first_data"]);
    expect(shop.automatic.behindSince()).toBeNull();
  });

  it("for lack of data is no failure, and is tried again only when something changed", async () => {
    let tried = 0;
    const { look, view, failures } = await openShop(openStore, {
      training: async () => {
        tried++;
        throw new Conflict("not_enough_data", "nothing to learn from");
      },
    });
    await view(20);
    await look(0);
    await look(MINUTE);
    await look(HOUR);
    expect([tried, failures]).toEqual([1, []]);
    await view(1);
    await look(MINUTE);
    await look(MINUTE);
    expect([tried, failures]).toEqual([2, []]);
  });
});
