import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Environment, openEnvironment } from "../../../src/adapters/embedded/environment.js";
import { assembleStore } from "../../../src/adapters/embedded/store.js";
import type { WriterLimits } from "../../../src/adapters/embedded/writer.js";
import { Unavailable } from "../../../src/domain/errors.js";
import type { Metrics } from "../../../src/ports/metrics.js";
import type { Store } from "../../../src/ports/store.js";
import type { Transaction } from "../../../src/ports/unit-of-work.js";
import { app, event, model, product } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

describe("writer of the embedded store", () => {
  let directory: string;
  let environment: Environment;
  /** How the next transactions go; the real one when the list is empty. */
  let faults: ((body: () => void) => Promise<void>)[];
  let transactions: number;
  let at: number;
  let counts: Map<string, number>;

  const metrics: Metrics = {
    count: (name, _labels, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    observe: () => undefined,
  };
  const openStore = (limits: Partial<WriterLimits> = {}, freeBytes?: () => number): Promise<Store> =>
    assembleStore(
      {
        ...environment,
        transact: (body) => {
          transactions++;
          return (faults.shift() ?? environment.transact)(body);
        },
      },
      { directory, now: () => at, metrics, limits, onDamage: () => undefined, ...(freeBytes && { freeBytes }) },
    );
  const put = (store: Store, id: string) => store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id)));
  const has = async (store: Store, id: string) => (await store.events.get("shop", id)) !== undefined;

  beforeEach(async () => {
    directory = await makeDirectory();
    environment = await openEnvironment(directory, false, () => undefined);
    faults = [];
    transactions = 0;
    at = 0;
    counts = new Map();
  });
  afterEach(async () => {
    await environment.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("takes all works that gathered during a transaction into the next one", async () => {
    const store = await openStore();
    await Promise.all(Array.from({ length: 500 }, (_, n) => put(store, `e${n}`)));
    expect(transactions).toBeLessThan(5);
    expect(counts.get("store_works")).toBe(500);
  });

  it("runs no more works in a transaction than its limit", async () => {
    const store = await openStore({ maxBatch: 10 });
    await Promise.all(Array.from({ length: 95 }, (_, n) => put(store, `e${n}`)));
    expect(transactions).toBe(10);
    expect(await store.events.list("shop", "", 100, false)).toHaveLength(95);
  });

  it("refuses works at once when too many wait, and takes them again when they are through", async () => {
    const store = await openStore({ maxWaiting: 20, maxBatch: 20 });
    const works = Array.from({ length: 50 }, (_, n) => put(store, `e${n}`));
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
    const settled = await Promise.allSettled(works);
    const accepted = settled.map((one) => one.status === "fulfilled");
    expect(accepted).toEqual(Array.from({ length: 50 }, (_, n) => n < 20));
    expect(settled[20]).toMatchObject({ reason: { name: "Unavailable" } });
    await expect(store.ready()).resolves.toBeUndefined();
    await put(store, "later");
    expect(await has(store, "later")).toBe(true);
    expect(await has(store, "e20")).toBe(false);
    expect(counts.get("store_works_refused")).toBe(30);
  });

  it("runs no more works in a transaction than their bytes allow", async () => {
    const store = await openStore({ maxBatchBytes: 10_000 });
    const platform = "x".repeat(4000);
    await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        store.unitOfWork.run("shop", (tx) => tx.events.put(`e${n}`, event(`e${n}`, { platform }))),
      ),
    );
    expect(transactions).toBe(3);
    expect(await store.events.list("shop", "", 100, false)).toHaveLength(9);
  });

  it("refuses works when those that wait may be too many bytes, going by those before them", async () => {
    const store = await openStore({ maxWaitingBytes: 20_000 });
    const large = (id: string) =>
      store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id, { platform: "x".repeat(4000) })));
    const first = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => put(store, `small-${n}`)));
    expect(first.every((one) => one.status === "fulfilled")).toBe(true);
    await large("large");
    const works = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => large(`large-${n}`)));
    const accepted = works.filter((one) => one.status === "fulfilled").length;
    expect(accepted).toBe(5);
    expect(works[5]).toMatchObject({ reason: { name: "Unavailable" } });
    for (let n = 0; n < 5; n++) await put(store, `after-${n}`); // small ones again: more of them may wait
    const last = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => put(store, `later-${n}`)));
    expect(last.every((one) => one.status === "fulfilled")).toBe(true);
  });

  describe("when the disk has little room left", () => {
    it("is not ready and takes no works but those that free some, until there is room again", async () => {
      let free = 1000;
      const store = await openStore({ minFreeBytes: 1000 }, () => free);
      await store.apps.create(app("shop"));
      await put(store, "e1");
      const bytes = Buffer.from("bytes");
      await store.models.put("shop", model("m1", bytes), bytes);
      free = 999;
      at += 1000;
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", message: /disk/ });
      await expect(put(store, "e2")).rejects.toBeInstanceOf(Unavailable);
      await expect(store.models.put("shop", model("m2", bytes), bytes)).rejects.toBeInstanceOf(Unavailable);
      await store.models.prune("shop", 0);
      expect(await store.apps.delete("shop")).toBe(true);
      free = 1000;
      at += 1000;
      await expect(store.ready()).resolves.toBeUndefined();
      await put(store, "e3");
      expect([await has(store, "e2"), await has(store, "e3")]).toEqual([false, true]);
    });

    it("asks the file system at most once a second", async () => {
      let asked = 0;
      const store = await openStore({}, () => {
        asked++;
        return Number.POSITIVE_INFINITY;
      });
      for (; at < 3000; at += 100) await put(store, `e${at}`);
      expect(asked).toBe(3);
    });

    it("knows by itself how much room there is", async () => {
      const store = await openStore({ minFreeBytes: Number.MAX_SAFE_INTEGER });
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", message: /disk/ });
    });
  });

  it("refuses all works when no transaction can be begun, and runs none of them later", async () => {
    let begin = (): void => undefined;
    const begun = new Promise<unknown>((resolve) => {
      faults = [
        (body) =>
          new Promise((_, reject) => {
            begin = () =>
              void environment.transact(body).catch((error: unknown) => {
                reject(error);
                resolve(error);
              });
          }),
      ];
    });
    const store = await openStore({ maxBeginMs: 5 });
    const works = await Promise.allSettled([put(store, "e1"), put(store, "e2")]);
    expect(works).toMatchObject([{ reason: { name: "Unavailable" } }, { reason: { name: "Unavailable" } }]);
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
    await expect(put(store, "e3")).rejects.toBeInstanceOf(Unavailable);
    begin();
    expect(await begun).toBeInstanceOf(Error);
    expect([await has(store, "e1"), await has(store, "e2")]).toEqual([false, false]);
    expect(transactions).toBe(1);
  });

  it("waits for a transaction that was begun, however long it takes", async () => {
    const slept = new Promise<void>((resolve) => setTimeout(resolve, 20));
    faults = [
      async (body) => {
        await environment.transact(body);
        await slept;
      },
    ];
    const store = await openStore({ maxBeginMs: 5 });
    await put(store, "e1");
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("keeps no file of a snapshot whose app was removed while it was put, or removed and made again", async () => {
    const bytes = Buffer.from("bytes");
    for (const isMadeAgain of [false, true]) {
      const store = await openStore();
      const other = await openStore();
      await other.apps.create(app("shop", { createdAt: 1 }));
      faults = [
        async (body) => {
          await other.apps.delete("shop");
          if (isMadeAgain) await other.apps.create(app("shop", { createdAt: 2 }));
          await environment.transact(body);
        },
      ];
      await expect(store.models.put("shop", model("m1", bytes), bytes)).rejects.toMatchObject({ name: "NotFound" });
      expect(await store.models.list("shop")).toEqual([]);
      expect(await readdir(join(directory, "models"))).toEqual([]);
      await other.apps.delete("shop");
    }
  });

  it("refuses a snapshot of an app whose removal is under way", async () => {
    const store = await openStore();
    const bytes = Buffer.from("bytes");
    await store.apps.create(app("shop"));
    const { removals } = environment.tables;
    await environment.transact(() => removals.putNow("shop\0app", removals.encode("shop\0app", 1)));
    await expect(store.models.put("shop", model("m1", bytes), bytes)).rejects.toMatchObject({ name: "NotFound" });
    expect(await readdir(join(directory, "models"))).toEqual([]);
  });

  it("refuses works while a transaction takes too long", async () => {
    let finish = (): void => undefined;
    faults = [
      (body) =>
        new Promise((resolve, reject) => {
          finish = () => void environment.transact(body).then(resolve, reject);
        }),
    ];
    const store = await openStore({ maxCommitMs: 100 });
    const first = put(store, "e1");
    at = 100;
    const second = put(store, "e2");
    at = 101;
    await expect(put(store, "e3")).rejects.toBeInstanceOf(Unavailable);
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
    finish();
    await Promise.all([first, second]);
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("settles a failed work only when its transaction is on disk", async () => {
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let applied: (() => void) | undefined;
    const isApplied = new Promise<void>((resolve) => {
      applied = resolve;
    });
    faults = [
      async (body) => {
        await environment.transact(body);
        applied?.();
        await held;
      },
    ];
    const store = await openStore();
    let settled = false;
    const failing = store.unitOfWork
      .run("shop", () => {
        throw new Error("on purpose");
      })
      .catch(() => {
        settled = true;
      });
    await isApplied;
    expect(settled).toBe(false);
    finish();
    await failing;
    expect(settled).toBe(true);
  });

  describe("after a failed commit", () => {
    const disk = new Error("EIO: i/o error");

    it("refuses the works of the batch, all that wait and all that come, until it is opened anew", async () => {
      const store = await openStore({ maxBatch: 1 });
      await put(store, "before");
      faults = [
        (body) =>
          environment.transact(() => {
            body();
            throw disk;
          }),
      ];
      const works = await Promise.allSettled([put(store, "e1"), put(store, "e2")]);
      for (const one of works) expect(one).toMatchObject({ reason: { name: "Unavailable", cause: disk } });
      await expect(put(store, "e3")).rejects.toMatchObject({ name: "Unavailable", cause: disk });
      await expect(store.apps.create(app("other"))).rejects.toBeInstanceOf(Unavailable);
      await expect(store.models.setPointer("shop", POINTER)).rejects.toBeInstanceOf(Unavailable);
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", cause: disk });
      expect(transactions).toBe(2);
      expect(await has(store, "before")).toBe(true);
      const again = await openStore();
      await again.ready();
      await put(again, "after");
      expect([await has(again, "before"), await has(again, "e1"), await has(again, "after")]).toEqual([
        true,
        false,
        true,
      ]);
    });

    it("tells product watchers nothing of the batch", async () => {
      const store = await openStore();
      const seen: unknown[] = [];
      store.products.watch("shop", (changes) => seen.push(changes));
      faults = [() => Promise.reject(disk)];
      const failing = store.unitOfWork.run("shop", (tx) => tx.products.put("p", product("p")));
      await expect(failing).rejects.toBeInstanceOf(Unavailable);
      expect(seen).toEqual([]);
    });

    it("does not move the activity", async () => {
      const store = await openStore();
      faults = [() => Promise.reject(disk)];
      const failing = store.unitOfWork.run("shop", (tx) => tx.markChanged());
      await expect(failing).rejects.toBeInstanceOf(Unavailable);
      expect(await store.models.activity("shop")).toBe("");
    });
  });

  it("writes nothing of a batch when LMDB refuses one of its writes", async () => {
    const store = await openStore();
    environment.tables.events.putNow = () => {
      throw new Error("MDB_PROBLEM");
    };
    const work = store.unitOfWork.run("shop", (tx) => {
      tx.visitorKeys.put("a", "1");
      tx.events.put("e1", event("e1"));
    });
    await expect(work).rejects.toBeInstanceOf(Unavailable);
    expect(environment.tables.visitorKeys.get("shop\0a")).toBeUndefined();
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
  });

  it("refuses a work that writes under an impossible id, and only that work", async () => {
    const store = await openStore();
    const works = await Promise.allSettled([
      put(store, "e1"),
      put(store, ""),
      put(store, "x".repeat(2000)),
      put(store, "e2"),
    ]);
    expect(works.map((one) => one.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(works[1]).toMatchObject({ reason: { name: "InvalidArgument" } });
    expect(works[2]).toMatchObject({ reason: { name: "InvalidArgument" } });
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("refuses a transaction that is used after its work has ended", async () => {
    const store = await openStore();
    const kept: Transaction[] = [];
    await store.unitOfWork.run("shop", (tx) => void kept.push(tx));
    expect(() => kept[0]?.events.put("e1", event("e1"))).toThrow("A transaction ends with the work");
    expect(() => kept[0]?.app()).toThrow("A transaction ends with the work");
  });
});

const POINTER = { modelId: "m", version: "1", activatedAt: 1, usedVersions: ["1"] };
