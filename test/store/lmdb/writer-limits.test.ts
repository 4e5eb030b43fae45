import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { app, event, model } from "../../contract/samples.js";
import { has, put, useFaultyStore } from "./faulty-store.js";

describe("the limits of the embedded store's writer", () => {
  const under = useFaultyStore();

  it("bound the works of a transaction", async () => {
    const store = await under.openStore({ maxBatch: 10 });
    await Promise.all(Array.from({ length: 95 }, (_, n) => put(store, `e${n}`)));
    expect(under.transactions).toBe(10);
    expect(await store.events.list("shop", "", 100, false)).toHaveLength(95);
  });

  it("reject works at once when too many wait, and admit works again afterwards", async () => {
    const store = await under.openStore({ maxWaiting: 20, maxBatch: 20 });
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
    expect(under.counts.get("shed")).toBe(30);
  });

  it("bound the bytes of a transaction", async () => {
    const store = await under.openStore({ maxBatchBytes: 10_000 });
    const platform = "x".repeat(4000);
    await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        store.unitOfWork.run("shop", (tx) => tx.events.put(`e${n}`, event(`e${n}`, { platform }))),
      ),
    );
    expect(under.transactions).toBe(3);
    expect(await store.events.list("shop", "", 100, false)).toHaveLength(9);
  });

  it("reject works when those that wait may have too many bytes, as the last ones suggest", async () => {
    const store = await under.openStore({ maxWaitingBytes: 20_000 });
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

  it("reject works while a transaction takes too long", async () => {
    let finish = (): void => undefined;
    under.faults = [
      (body) =>
        new Promise((resolve, reject) => {
          finish = () => void under.environment.transact(body).then(resolve, reject);
        }),
    ];
    const store = await under.openStore({ maxCommitMs: 100 });
    const first = put(store, "e1");
    under.at = 100;
    const second = put(store, "e2");
    under.at = 101;
    await expect(put(store, "e3")).rejects.toBeInstanceOf(Unavailable);
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
    finish();
    await Promise.all([first, second]);
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("reject works while the oldest has waited for too long", async () => {
    let finish = (): void => undefined;
    under.faults = [
      (body) =>
        new Promise((resolve, reject) => {
          finish = () => void under.environment.transact(body).then(resolve, reject);
        }),
    ];
    const store = await under.openStore({ maxWaitingMs: 100 });
    const first = put(store, "e1");
    under.at = 100;
    const second = put(store, "e2");
    under.at = 101;
    await expect(put(store, "e3")).rejects.toMatchObject({ name: "Unavailable", shed: "queue_age" });
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
    finish();
    await Promise.all([first, second]);
    await put(store, "e4");
    expect(await has(store, "e3")).toBe(false);
  });

  it("answer callers of late works, waiting or under way, and then write only those under way", async () => {
    let finish = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      under.faults = [
        async (body) => {
          await new Promise<void>((go) => {
            finish = go;
            body();
          });
          await under.environment.transact(() => undefined);
          resolve();
        },
      ];
    });
    const store = await under.openStore({ answerMs: 20 });
    const works = [put(store, "under way"), put(store, "waiting")];
    under.at = 21;
    for (const work of works) await expect(work).rejects.toMatchObject({ name: "Unavailable", shed: "deadline" });
    finish();
    await written;
    await put(store, "later");
    expect(await has(store, "waiting")).toBe(false);
    expect(await has(store, "later")).toBe(true);
  });

  describe("when the disk has little room left", () => {
    it("make the store not ready on a nearly full disk, and admit only works that free space", async () => {
      let free = 1000;
      const store = await under.openStore({ minFreeBytes: 1000 }, () => free);
      await store.apps.create(app("shop"));
      await put(store, "e1");
      const bytes = Buffer.from("bytes");
      await store.models.put("shop", model("m1", bytes), [bytes]);
      free = 999;
      under.at += 1000;
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", message: /disk/ });
      await expect(put(store, "e2")).rejects.toBeInstanceOf(Unavailable);
      await expect(store.models.put("shop", model("m2", bytes), [bytes])).rejects.toBeInstanceOf(Unavailable);
      await store.models.prune("shop", 0);
      expect(await store.apps.delete("shop")).toBe(true);
      free = 1000;
      under.at += 1000;
      await expect(store.ready()).resolves.toBeUndefined();
      await put(store, "e3");
      expect([await has(store, "e2"), await has(store, "e3")]).toEqual([false, true]);
    });

    it("check the free space at most once a second", async () => {
      let asked = 0;
      const store = await under.openStore({}, () => {
        asked++;
        return Number.POSITIVE_INFINITY;
      });
      for (; under.at < 3000; under.at += 100) await put(store, `e${under.at}`);
      expect(asked).toBe(3);
    });

    it("read the free space of the file system", async () => {
      const store = await under.openStore({ minFreeBytes: Number.MAX_SAFE_INTEGER });
      await expect(store.ready()).rejects.toMatchObject({ name: "Unavailable", message: /disk/ });
    });
  });

  it("reject all works when no transaction can begin, and run none of them later", async () => {
    let begin = (): void => undefined;
    const begun = new Promise<unknown>((resolve) => {
      under.faults = [
        (body) =>
          new Promise((_, reject) => {
            begin = () =>
              void under.environment.transact(body).catch((error: unknown) => {
                reject(error);
                resolve(error);
              });
          }),
      ];
    });
    const store = await under.openStore({ maxBeginMs: 10 });
    const works = await Promise.allSettled([put(store, "e1"), put(store, "e2")]);
    expect(works).toMatchObject([{ reason: { name: "Unavailable" } }, { reason: { name: "Unavailable" } }]);
    await expect.poll(() => store.ready().then(() => "ready", String)).toMatch(/restart the process/);
    await expect(put(store, "e3")).rejects.toBeInstanceOf(Unavailable);
    begin();
    expect(await begun).toBeInstanceOf(Error);
    expect([await has(store, "e1"), await has(store, "e2")]).toEqual([false, false]);
    expect(under.transactions).toBe(1);
  });

  it("do not end a transaction that has begun, however long it takes", async () => {
    const slept = new Promise<void>((resolve) => setTimeout(resolve, 600));
    under.faults = [
      async (body) => {
        await under.environment.transact(body);
        await slept;
      },
    ];
    const store = await under.openStore({ maxBeginMs: 400 });
    await put(store, "e1");
    await expect(store.ready()).resolves.toBeUndefined();
  });
});

describe("a snapshot put during the removal of its app", () => {
  const under = useFaultyStore();

  it("has no file when its app was removed, or removed and made again, during the put", async () => {
    const bytes = Buffer.from("bytes");
    for (const isMadeAgain of [false, true]) {
      const store = await under.openStore();
      const other = await under.openStore();
      await other.apps.create(app("shop", { createdAt: 1 }));
      under.faults = [
        async (body) => {
          await other.apps.delete("shop");
          if (isMadeAgain) await other.apps.create(app("shop", { createdAt: 2 }));
          await under.environment.transact(body);
        },
      ];
      await expect(store.models.put("shop", model("m1", bytes), [bytes])).rejects.toMatchObject({ name: "NotFound" });
      expect(await store.models.list("shop")).toEqual([]);
      expect(await readdir(join(under.directory, "models"))).toEqual([]);
      await other.apps.delete("shop");
    }
  });

  it("is rejected while its app is being removed", async () => {
    const store = await under.openStore();
    const bytes = Buffer.from("bytes");
    await store.apps.create(app("shop"));
    const { removals } = under.environment.tables;
    await under.environment.transact(() => removals.putNow("shop\0app", removals.encode("shop\0app", 1)));
    await expect(store.models.put("shop", model("m1", bytes), [bytes])).rejects.toMatchObject({ name: "NotFound" });
    expect(await readdir(join(under.directory, "models"))).toEqual([]);
  });

  it("does not stop the removal of its app, whenever it is put", async () => {
    const store = await under.openStore();
    const bytes = Buffer.from("bytes");
    const puts = Array.from({ length: 20 }, (_, n) => model(`m${n}`, bytes));
    for (let round = 0; round < 40; round++) {
      await store.apps.create(app("shop", { createdAt: round }));
      const outcomes = puts.map((record) =>
        store.models.put("shop", record, [bytes]).catch((error: Error) => error.name),
      );
      await pause(round % 20);
      await store.apps.delete("shop");
      expect(["NotFound", undefined]).toEqual(expect.arrayContaining(await Promise.all(outcomes)));
      expect(await store.models.list("shop")).toEqual([]);
      expect(await readdir(join(under.directory, "models"))).toEqual([]);
    }
  });
});
