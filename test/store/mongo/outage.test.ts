import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import { event } from "../../contract/samples.js";
import { mongoBehindProxy, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** A store that reaches its server through a proxy. */
async function behindProxy() {
  const database = databaseName();
  const { proxy, url } = await mongoBehindProxy(peer, database);
  const store = await openMongoStore({ url, now: () => 1000, limits: { answerMs: 1000 } });
  onTestFinished(async () => {
    proxy.restore();
    await store.close();
    await proxy.close();
    await peer.drop(database);
  });
  const work = (id: string) =>
    store.unitOfWork.run("shop", (tx) => {
      tx.events.put(id, event(id));
      tx.visitorKeys.put("count", String(Number(tx.visitorKeys.get("count") ?? 0) + 1));
    });
  const isReady = () =>
    store.ready().then(
      () => true,
      () => false,
    );
  /** The store is as it should be after works of which some succeeded for sure. */
  const check = async (done: readonly string[]) => {
    const ids = (await store.events.list("shop", "", 1000, false)).map((one) => one.eventId);
    expect(ids).toEqual(expect.arrayContaining([...done]));
    const count = await store.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("count"));
    expect(Number(count)).toBe((await store.events.list("shop", "", 1000, false)).length);
  };
  return { proxy, store, work, isReady, check };
}

describe(`a server that fails: ${peer.name}`, () => {
  it.each(["stall", "cut"] as const)(
    "rejects every call with Unavailable while it lasts (%s), then heals",
    async (fail) => {
      const { proxy, store, work, isReady, check } = await behindProxy();
      await work("before");
      proxy[fail]();
      const calls = [
        work("lost"),
        store.ready(),
        store.events.get("shop", "before"),
        store.events.list("shop", "", 10, false),
        store.models.read("shop", "m1"),
        store.models.setPointer("shop", () => ({
          modelId: "m1",
          version: "1",
          activatedAt: 1,
          usedVersions: [],
          isHeld: false,
        })),
        store.apps.get("shop"),
      ];
      const outcomes = await Promise.allSettled(calls);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) });
      }
      proxy.restore();
      await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
      await work("after");
      await check(["before", "after"]);
    },
  );

  it("keeps what it acknowledged, and nothing half done, when connections break again and again", async () => {
    const { proxy, work, isReady, check } = await behindProxy();
    const done: string[] = [];
    let next = 0;
    for (let round = 0; round < 6; round++) {
      const works = Array.from({ length: 15 }, async () => {
        const id = `e${String(next++).padStart(4, "0")}`;
        await work(id);
        done.push(id);
      });
      const first = Promise.race(works);
      await first.catch(() => undefined);
      const more = Array.from({ length: 15 }, () => work(`e${String(next++).padStart(4, "0")}`));
      proxy.cut();
      proxy.restore();
      await Promise.allSettled([...works, ...more]);
      await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
    }
    expect(done.length).toBeGreaterThan(0);
    const isHealed = () =>
      work(`after${next++}`).then(
        () => true,
        () => false,
      );
    await expect.poll(isHealed, { timeout: 20_000 }).toBe(true);
    await check(done);
  });
});
