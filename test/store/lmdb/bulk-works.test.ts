import { describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import type { Store } from "../../../src/store/ports/store.js";
import type { Transaction } from "../../../src/store/ports/unit-of-work.js";
import { event } from "../../contract/samples.js";
import { has, put, useFaultyStore } from "./faulty-store.js";

describe("bulk works of the embedded store", () => {
  const under = useFaultyStore();

  /** Writes the events `<name>0` and on. */
  const bulk = (store: Store, name: string, count: number) =>
    store.unitOfWork.runEach(
      "shop",
      Array.from({ length: count }, (_, n) => (tx: Transaction) => tx.events.put(`${name}${n}`, event(`${name}${n}`))),
    );

  it("share transactions up to their limit", async () => {
    const store = await under.openStore({ maxBatch: 100 });
    const [first, second] = await Promise.all([bulk(store, "a", 250), bulk(store, "b", 150)]);
    expect([...first, ...second].every((one) => one.status === "fulfilled")).toBe(true);
    expect(under.transactions).toBe(4);
    expect(under.counts.get("store_works")).toBe(400);
  });

  it("end a transaction when their time in it is over", async () => {
    const store = await under.openStore({ bulkMs: 6 });
    const outcomes = await store.unitOfWork.runEach(
      "shop",
      Array.from({ length: 10 }, (_, n) => (tx: Transaction) => {
        tx.events.put(`a${n}`, event(`a${n}`));
        under.at += 2;
      }),
    );
    expect(outcomes.every((one) => one.status === "fulfilled")).toBe(true);
    expect(under.transactions).toBe(4);
    expect(await has(store, "a9")).toBe(true);
  });

  it("wait when too many works wait, and reject no work of others", async () => {
    const store = await under.openStore({ maxWaiting: 5, maxBatch: 10 });
    const works = bulk(store, "a", 100);
    const more = bulk(store, "b", 100);
    await expect(store.ready()).resolves.toBeUndefined();
    await put(store, "single");
    expect([...(await works), ...(await more)].every((one) => one.status === "fulfilled")).toBe(true);
    expect(under.counts.get("store_works_refused")).toBeUndefined();
  });

  it("let a single work into the next transaction", async () => {
    const store = await under.openStore({ maxBatch: 10, minBulk: 2 });
    const works = bulk(store, "a", 1000);
    await put(store, "single");
    expect(under.transactions).toBe(2);
    await works;
    expect(await has(store, "a999")).toBe(true);
  });

  it("make progress while single works fill every transaction", async () => {
    const store = await under.openStore({ maxBatch: 10, minBulk: 2 });
    const works = bulk(store, "a", 20);
    const singles = Array.from({ length: 200 }, (_, n) => put(store, `single${n}`));
    await works;
    expect(under.transactions).toBeLessThan(15);
    await Promise.all(singles);
  });

  it("report those before a failed transaction as stored, and the others as not", async () => {
    const disk = new Error("EIO: i/o error");
    const store = await under.openStore({ maxBatch: 10 });
    under.faults = [
      (body) => under.environment.transact(body),
      (body) =>
        under.environment.transact(() => {
          body();
          throw disk;
        }),
    ];
    const outcomes = await bulk(store, "a", 35);
    expect(outcomes.map((one) => one.status === "fulfilled")).toEqual(Array.from({ length: 35 }, (_, n) => n < 10));
    expect(outcomes[20]).toMatchObject({ reason: { name: "Unavailable", cause: disk } });
    expect([await has(store, "a9"), await has(store, "a10")]).toEqual([true, false]);
    const later = await bulk(store, "b", 2);
    expect(later).toMatchObject([{ reason: { name: "Unavailable" } }, { reason: { name: "Unavailable" } }]);
  });

  it("fail the transaction, not the work, when LMDB rejects a write", async () => {
    const store = await under.openStore();
    const putNow = under.environment.tables.events.putNow.bind(under.environment.tables.events);
    let calls = 0;
    under.environment.tables.events.putNow = (key, bytes) => {
      if (++calls === 3) throw new Error("MDB_PROBLEM");
      putNow(key, bytes);
    };
    const outcomes = await bulk(store, "a", 5);
    for (const one of outcomes) expect(one).toMatchObject({ reason: { name: "Unavailable" } });
    expect(await has(store, "a0")).toBe(false);
    await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
  });

  it("are completed by close, and rejected after it", async () => {
    const store = await under.openStore({ maxBatch: 10 });
    const works = bulk(store, "a", 50);
    const closing = store.close();
    expect((await works).every((one) => one.status === "fulfilled")).toBe(true);
    expect(await bulk(store, "b", 1)).toMatchObject([{ reason: { name: "Unavailable" } }]);
    await closing;
    await under.begin();
  });
});
