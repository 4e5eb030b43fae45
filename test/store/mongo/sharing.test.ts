import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { bareApp } from "../../../src/domain/app.js";
import { openMongoStore } from "../../../src/store/mongo/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event, order, product, visitor } from "../../contract/samples.js";
import { type MongoPeer, openMongoPeer } from "../../fixtures/mongo-peer.js";
import { databaseName, PATIENT } from "./open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** Servers over one database. */
async function servers(count: number, on: MongoPeer): Promise<Store[]> {
  const database = databaseName();
  const open = () => openMongoStore({ url: on.url(database), now: () => 1000, limits: PATIENT, watchPollMs: 50 });
  const stores: Store[] = [];
  for (let n = 0; n < count; n++) stores.push(await open());
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await on.drop(database);
  });
  return stores;
}

describe(`several servers over one database: ${peer.name}`, () => {
  const open = (count: number) => servers(count, peer);

  it("no update of one record is lost when all write it at once", async () => {
    const stores = await open(3);
    const increment = (store: Store) =>
      store.unitOfWork.run("shop", (tx) => {
        const next = Number(tx.visitorKeys.get("count") ?? 0) + 1;
        tx.visitorKeys.put("count", String(next));
        return next;
      });
    const counts: number[] = [];
    const callers = Array.from({ length: 30 }, async (_, n) => {
      for (let turn = 0; turn < 10; turn++) counts.push(await increment(stores[n % 3]!));
    });
    await Promise.all(callers);
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  });

  it("what belongs together changes together, whoever writes and whoever looks inside a work", async () => {
    const stores = await open(2);
    const torn: string[] = [];
    const callers = Array.from({ length: 12 }, async (_, n) => {
      for (let turn = 0; turn < 8; turn++) {
        await stores[n % 2]!.unitOfWork.run("shop", (tx) => {
          const seen = [
            tx.visitors.get("v")?.linkedAt ?? 0,
            tx.orders.get("o")?.statusAt ?? 0,
            tx.products.get("p")?.updatedAt ?? 0,
          ];
          if (new Set(seen).size > 1) torn.push(seen.join());
          const next = (seen[0] ?? 0) + 1;
          tx.visitors.put("v", visitor("v", { linkedAt: next }));
          tx.orders.put("o", order("o", { statusAt: next }));
          tx.products.put("p", product("p", { updatedAt: next }));
        });
      }
    });
    await Promise.all(callers);
    const found = await Promise.all(stores.map((store) => store.products.get("shop", "p")));
    expect(found.map((one) => one?.updatedAt)).toEqual([96, 96]);
    expect((await stores[0]!.orders.get("shop", "o"))?.statusAt).toBe(96);
  });

  it("an idempotency key that reaches all servers at once makes one event", async () => {
    const stores = await open(3);
    for (let n = 0; n < 5; n++) {
      const ids = await Promise.all(
        stores.map((store, server) =>
          store.unitOfWork.run("shop", (tx) => {
            const claimed = tx.idempotency.get(`key ${n}`);
            if (claimed !== undefined) return claimed.eventId;
            const eventId = `e${n} of ${server}`;
            tx.idempotency.put(`key ${n}`, { eventId, bodyHash: "h", claimedAt: 1000 });
            tx.events.put(eventId, event(eventId));
            return eventId;
          }),
        ),
      );
      expect(new Set(ids).size).toBe(1);
    }
    expect(await stores[0]!.events.list("shop", "", 100, false)).toHaveLength(5);
  });

  it("a work sees what another server wrote before, also when it writes nothing itself", async () => {
    const [one, two] = await open(2);
    const read = () => two!.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("a"));
    expect(await read()).toBeUndefined();
    for (const value of ["1", "2", "3"]) {
      await one!.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("a", value));
      expect(await read()).toBe(value);
    }
  });

  it("a server that was idle through more commits than are kept goes on with the newest state", async () => {
    const [idle, busy] = await open(2);
    const add = (store: Store) =>
      store.unitOfWork.run("shop", (tx) => {
        tx.visitorKeys.put("count", String(Number(tx.visitorKeys.get("count") ?? 0) + 1));
        return tx.visitorKeys.get("count");
      });
    await add(idle!);
    for (let n = 0; n < 50; n++) await add(busy!);
    expect(await idle!.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("count"))).toBe("51");
    for (let n = 0; n < 50; n++) await add(busy!);
    expect(await add(idle!)).toBe("102");
  });

  it("an app that one server deletes and makes again has nothing of the old one on another", async () => {
    const [one, two] = await open(2);
    const app = bareApp("shop", 1);
    await one!.apps.create(app);
    await two!.unitOfWork.run("shop", (tx) => {
      tx.products.put("p", product("p", { sku: "s" }));
      tx.visitorKeys.put("a", "1");
    });
    await one!.apps.delete("shop");
    expect(await two!.apps.create(app)).toBe(true);
    const seen = await two!.unitOfWork.run("shop", (tx) => [
      tx.products.get("p"),
      tx.productSkus.get("s"),
      tx.visitorKeys.get("a"),
    ]);
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it("a server that writes without pause leaves room for another", async () => {
    const [busy, other] = await open(2);
    let isDone = false;
    let works = 0;
    const writing = Array.from({ length: 20 }, async () => {
      while (!isDone) await busy!.unitOfWork.run("shop", (tx) => tx.events.put("e", event(`e${works++}`)));
    });
    for (let n = 0; n < 5; n++) await other!.unitOfWork.run("shop", (tx) => tx.visitorKeys.put("a", String(n)));
    isDone = true;
    await Promise.all(writing);
    expect(await busy!.unitOfWork.run("shop", (tx) => tx.visitorKeys.get("a"))).toBe("4");
  });
});
