import { describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import type { Transaction } from "../../../src/store/ports/unit-of-work.js";
import { app, event, product } from "../../contract/samples.js";
import { has, put, useFaultyStore } from "./faulty-store.js";

describe("the embedded store's writer", () => {
  const under = useFaultyStore();

  it("runs all works that gathered during a transaction in the next one", async () => {
    const store = await under.openStore();
    await Promise.all(Array.from({ length: 500 }, (_, n) => put(store, `e${n}`)));
    expect(under.transactions).toBeLessThan(5);
    expect(under.counts.get("store_works")).toBe(500);
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
    under.faults = [
      async (body) => {
        await under.environment.transact(body);
        applied?.();
        await held;
      },
    ];
    const store = await under.openStore();
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

    it("rejects the works of the batch and all later ones until the store is opened anew", async () => {
      const store = await under.openStore({ maxBatch: 1 });
      await put(store, "before");
      under.faults = [
        (body) =>
          under.environment.transact(() => {
            body();
            throw disk;
          }),
      ];
      const works = await Promise.allSettled([put(store, "e1"), put(store, "e2")]);
      for (const one of works) expect(one).toMatchObject({ reason: { name: "Unavailable", cause: disk } });
      await expect(put(store, "e3")).rejects.toMatchObject({ name: "Unavailable", cause: disk });
      await expect(store.apps.create(app("other"))).rejects.toBeInstanceOf(Unavailable);
      await expect(store.models.setPointer("shop", () => POINTER)).rejects.toBeInstanceOf(Unavailable);
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", cause: disk });
      expect(under.transactions).toBe(2);
      expect(await has(store, "before")).toBe(true);
      const again = await under.openStore();
      await again.ready();
      await put(again, "after");
      expect([await has(again, "before"), await has(again, "e1"), await has(again, "after")]).toEqual([
        true,
        false,
        true,
      ]);
    });

    it("tells product watchers nothing of the batch", async () => {
      const store = await under.openStore();
      const seen: unknown[] = [];
      store.products.watch("shop", (changes) => seen.push(changes));
      under.faults = [() => Promise.reject(disk)];
      const failing = store.unitOfWork.run("shop", (tx) => tx.products.put("p", product("p")));
      await expect(failing).rejects.toBeInstanceOf(Unavailable);
      expect(seen).toEqual([]);
    });

    it("does not change the activity", async () => {
      const store = await under.openStore();
      under.faults = [() => Promise.reject(disk)];
      const failing = store.unitOfWork.run("shop", (tx) => tx.markChanged());
      await expect(failing).rejects.toBeInstanceOf(Unavailable);
      expect(await store.models.activity("shop")).toBe("");
    });
  });

  it("writes nothing of a batch when LMDB rejects one of its writes", async () => {
    const store = await under.openStore();
    under.environment.tables.events.putNow = () => {
      throw new Error("MDB_PROBLEM");
    };
    const work = store.unitOfWork.run("shop", (tx) => {
      tx.visitorKeys.put("a", "1");
      tx.events.put("e1", event("e1"));
    });
    await expect(work).rejects.toBeInstanceOf(Unavailable);
    expect(under.environment.tables.visitorKeys.get("shop\0a")).toBeUndefined();
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
  });

  it("rejects a work that writes under an impossible id, and only that work", async () => {
    const store = await under.openStore();
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

  it("rejects the use of a transaction after its work has ended", async () => {
    const store = await under.openStore();
    const kept: Transaction[] = [];
    await store.unitOfWork.run("shop", (tx) => void kept.push(tx));
    expect(() => kept[0]?.events.put("e1", event("e1"))).toThrow("A transaction ends with the work");
    expect(() => kept[0]?.app()).toThrow("A transaction ends with the work");
  });
});

const POINTER = { modelId: "m", version: "1", activatedAt: 1, usedVersions: ["1"], isHeld: false };
