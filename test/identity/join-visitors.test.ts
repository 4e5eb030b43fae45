import { describe, expect, it } from "vitest";
import { createJoinVisitors } from "../../src/identity/join-visitors.js";
import { testIds } from "../fixtures/store.js";
import { draft, intake, NO_CONTACT, NO_VISITOR } from "../intake/intake-fixture.js";

const ids = (clientId: string, fingerprintId: string, userId = "") => ({ clientId, fingerprintId, userId });

async function openShop() {
  const shop = await intake();
  const dropped: number[] = [];
  const metrics = { count: (_name: string, _labels?: object, by = 1) => void dropped.push(by) };
  const reportFailure = () => undefined;
  const works = { run: 0 };
  const unitOfWork: typeof shop.store.unitOfWork = {
    ...shop.store.unitOfWork,
    run: (appId, work) => {
      works.run++;
      return shop.store.unitOfWork.run(appId, work);
    },
  };
  const deps = { visitors: shop.store.visitors, unitOfWork, now: shop.now, metrics, reportFailure };
  const saw = (visitor: Partial<typeof NO_VISITOR>) =>
    shop.record(draft("homepage_view", { visitor: { ...NO_VISITOR, ...visitor } }));
  const find = (...keys: string[]) => shop.store.visitors.find("shop", keys);
  return { ...shop, ...createJoinVisitors({ ...deps, newId: testIds() }), saw, find, works, dropped };
}

describe("the ids of a request for recommendations", () => {
  it("are joined as those of an event once the queue is written", async () => {
    const { record, join, flush, statusOf } = await openShop();
    await join("shop", ids("c1", "f1"));
    await flush();
    const contact = { ...NO_CONTACT, email: "ann@example.com" };
    await record(draft("subscribe", { visitor: { ...NO_VISITOR, clientId: "c1" }, contact }));
    expect(await statusOf("f1")).toMatchObject({ identified: true, email: true });
  });

  it("find both visitors as one before the queue is written, and the same one after", async () => {
    const { join, flush, saw, find } = await openShop();
    await saw({ clientId: "c1" });
    await saw({ fingerprintId: "f1" });
    const early = await join("shop", ids("c1", "f1"));
    expect(early).toMatchObject([{ keys: ["c:c1", "f:f1"] }]);
    expect(await find("c:c1", "f:f1")).toHaveLength(2);
    await flush();
    expect(await find("c:c1", "f:f1")).toEqual(early);
  });

  it("are written once when the visitor comes twice, and not at all when they were one before", async () => {
    const { join, flush, find, works } = await openShop();
    for (let n = 0; n < 2; n++) await join("shop", ids("c1", "f1"));
    await flush();
    expect(works.run).toBe(1);
    expect(await join("shop", ids("c1", "f1"))).toEqual(await find("c:c1"));
    await flush();
    expect(works.run).toBe(1);
  });

  it("join nobody by a user id", async () => {
    const { join, flush, find } = await openShop();
    await join("shop", ids("c1", "f1", "u1"));
    await join("shop", ids("c2", "", "u1"));
    await flush();
    expect(await find("u:u1", "c:c2")).toEqual([]);
  });

  it("are dropped and counted when the queue is full", async () => {
    const { join, flush, find, dropped } = await openShop();
    for (let n = 0; n <= 20_000; n++) await join("shop", ids(`c${n}`, `f${n}`));
    expect(dropped).toEqual([1]);
    await flush();
    expect(await find("c:c19999")).toHaveLength(1);
    expect(await find("c:c20000")).toEqual([]);
  });
});
