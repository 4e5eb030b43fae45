import { describe, expect, it } from "vitest";
import { Conflict } from "../../src/domain/errors.js";
import { MAILING_SECRETS, outboxKey } from "../../src/domain/hook.js";
import { changeIdOf } from "../../src/domain/ledger.js";
import { appendChange } from "../../src/identity/ledger/ledger.js";
import { COPIED_TABLES, type CopiedTable, type CopyMark } from "../../src/store/ports/copies.js";
import type { Store } from "../../src/store/ports/store.js";
import { putFrame } from "../fixtures/put-records.js";
import { type OpenStore, START, useStore } from "./open-store.js";
import {
  app,
  change,
  contact,
  erasure,
  event,
  exposure,
  feed,
  frameTally,
  fullFrame,
  hookEntry,
  operation,
  order,
  product,
  rejected,
  view,
  visitor,
} from "./samples.js";

const MARK: CopyMark = { run: "r1", from: "source", state: "copying", table: "", upTo: "" };

/** An app with at least one record of each kind; ids hold what keys are escaped for. */
export async function fillShop(store: Store, appId = "shop", claimedAt = START): Promise<void> {
  await store.apps.create(app(appId, { displayName: "Shop" }));
  await putFrame(store, appId, fullFrame("f1"));
  await store.unitOfWork.run(appId, (tx) => {
    for (const id of ["e1", "e2", "e3"]) tx.events.put(id, event(id, { extraFields: { __proto__x: "1", "2": "b" } }));
    tx.idempotency.put("i\u0001 1", { eventId: "e1", bodyHash: "h", claimedAt });
    tx.rejectedEvents.add(rejected());
    tx.visitors.put("v1", visitor("v1", { keys: ["c:1", "f:2"] }));
    for (const key of ["c:1", "f:2"]) tx.visitorKeys.put(key, "v1");
    tx.contacts.put("k1", contact("k1", { email: "A@b.de" }));
    tx.contactKeys.put("e:a@b.de", "k1");
    tx.changes.put("c1", change("c1", "k1"));
    appendChange(tx, { ...change("", "k1"), salt: "5a" });
    tx.mailingSecrets.put(MAILING_SECRETS, { linkKey: "5a", hook: null, signing: [], signingSince: 0 });
    tx.confirmations.put("email k1", { askedAt: 5, askedBy: "e1", eventId: "e1", visitorKey: "c:1" });
    tx.outbox.put(outboxKey(hookEntry("m1")), hookEntry("m1"));
    tx.deadHooks.put("m2", hookEntry("m2"));
    tx.suppressions.put("hash", { suppressedAt: 7, source: "erasure" });
    tx.feeds.put("f1", feed("f1"));
    tx.products.put("p2", product("p2", { sku: "s1" }));
    tx.products.put("p1", product("p1", { sku: "s1" })); // has the SKU now
    tx.orders.put("o1", order("o1"));
    tx.erasures.put("x1", erasure("x1"));
    tx.operations.put("y1", operation("y1"));
    tx.frameTallies.put("f1/2026-01-15/a", frameTally());
    tx.frameExposures.put("c:1", exposure());
    tx.dueResults.put("e1", "");
    tx.putInteraction("v1", view(1, "e1"));
    tx.putInteraction("v\u0001", { type: "order", at: -2, productIds: ["p1"], ref: "order:o1" });
    tx.markChanged();
  });
}

async function rowsOf<N extends CopiedTable>(store: Store, table: N) {
  return store.copies.scan("shop", table, "", 100);
}

/** Copies all tables of the shop, without its app. */
async function copyAll(from: Store, to: Store, run = "r1"): Promise<void> {
  const copy = async <N extends CopiedTable>(table: N) => {
    const puts = await from.copies.scan("shop", table, "", 100);
    await to.copies.write("shop", run, { table, puts, removals: [], upTo: puts.at(-1)?.key ?? "" });
  };
  for (const table of COPIED_TABLES) await copy(table);
}

/** Apps as they are kept, read from one store and written to another of the same kind. */
export function copiesContract(name: string, open: OpenStore): void {
  describe(`copies: ${name}`, () => {
    const source = useStore(open);
    const target = useStore(open);

    it("have a different id for each store, and the same one when it is opened again", async () => {
      const { storeId } = source.store.copies;
      expect(storeId).not.toBe("");
      expect(target.store.copies.storeId).not.toBe(storeId);
      expect((await source.reopen()).copies.storeId).toBe(storeId);
    });

    it("list the rows of an app in order of keys, page by page, under keys common to all stores", async () => {
      await fillShop(source.store);
      await fillShop(source.store, "shop2");
      const { scan } = source.store.copies;
      const keys = async (table: CopiedTable) => (await scan("shop", table, "", 100)).map(({ key }) => key);
      expect(await keys("events")).toEqual(["e1", "e2", "e3"]);
      expect((await scan("shop", "events", "e1", 1)).map(({ key }) => key)).toEqual(["e2"]);
      expect(await scan("shop", "events", "e3", 1)).toEqual([]);
      expect(await keys("visitorKeys")).toEqual(["c:1", "f:2"]);
      expect(await keys("idempotency")).toEqual(["i\u0001\u0002 1"]);
      expect(await keys("interactions")).toEqual(["v\u0001\u0002\0Oooooooonorder:o1", "v1\0P00000001e1"]);
      expect(await rowsOf(source.store, "productSkus")).toEqual([{ key: "s1", value: "p1" }]);
      expect((await rowsOf(source.store, "interactions"))[1]?.value).toEqual(view(1, "e1"));
      expect((await rowsOf(source.store, "events"))[0]?.value).toEqual(
        event("e1", { extraFields: { __proto__x: "1", "2": "b" } }),
      );
    });

    it("give the target the rows of the source, found by every port, once the copy is finished", async () => {
      await fillShop(source.store);
      const { store } = target;
      await store.copies.begin("shop", () => MARK);
      await copyAll(source.store, store);
      expect(await store.apps.get("shop")).toBeUndefined();
      await store.copies.finish(app("shop", { displayName: "Shop" }), "r1");
      expect(await store.apps.get("shop")).toEqual(app("shop", { displayName: "Shop" }));
      for (const table of COPIED_TABLES) {
        expect(await rowsOf(store, table)).toEqual(await rowsOf(source.store, table));
      }
      expect(await store.contacts.find("shop", "e:a@b.de")).toMatchObject({ contactId: "k1" });
      const entries = await store.contacts.changes("shop", "k1", "", 10);
      expect(entries).toMatchObject([change("c1", "k1"), { changeId: changeIdOf(1), seal: { salt: "5a" } }]);
      expect(await store.visitors.find("shop", ["f:2"])).toEqual([visitor("v1", { keys: ["c:1", "f:2"] })]);
      expect(await store.products.getBySku("shop", "s1")).toMatchObject({ productId: "p1" });
      expect(await store.interactions.recent("shop", ["v\u0001", "v1"], 5)).toHaveLength(2);
      expect((await store.apps.listFrames("shop", "", 5)).map(({ frameId }) => frameId)).toEqual(["f1"]);
      expect(await store.unitOfWork.run("shop", (tx) => tx.idempotency.get("i\u0001 1")?.eventId)).toBe("e1");
      expect(await store.models.activity("shop")).not.toBe("");
    });

    it("change nothing when a batch is written again, and remove what a batch removes", async () => {
      await fillShop(source.store);
      const { store } = target;
      await store.copies.begin("shop", () => MARK);
      await copyAll(source.store, store);
      await copyAll(source.store, store);
      expect(await rowsOf(store, "events")).toHaveLength(3);
      const batch = { puts: [], removals: ["c1", changeIdOf(1)], upTo: changeIdOf(1) };
      await store.copies.write("shop", "r1", { table: "changes", ...batch });
      expect(await store.contacts.changes("shop", "k1", "", 10)).toEqual([]);
      expect(await store.contacts.changes("shop", "", "", 10)).toEqual([]);
    });

    it("store their progress, and lose it when the app is removed", async () => {
      const { store } = target;
      expect(await store.copies.mark("shop")).toBeUndefined();
      expect(await store.copies.begin("shop", () => MARK)).toEqual(MARK);
      const batch = { puts: [{ key: "e1", value: event("e1") }], removals: [], upTo: "e1" };
      await store.copies.write("shop", "r1", { table: "events", ...batch });
      expect(await store.copies.mark("shop")).toEqual({ ...MARK, table: "events", upTo: "e1" });
      await store.copies.finish(app("shop"), "r1");
      expect(await store.copies.mark("shop")).toEqual({ ...MARK, state: "done" });
      await store.apps.delete("shop");
      expect(await store.copies.mark("shop")).toBeUndefined();
      expect(await rowsOf(store, "events")).toEqual([]);
    });

    it("call the decision with the last mark and whether the app exists, and do nothing without one", async () => {
      const { store } = target;
      await store.apps.create(app("there"));
      const asked: unknown[] = [];
      const decline = (before: CopyMark | undefined, isThere: boolean) => void asked.push([before, isThere]);
      expect(await store.copies.begin("there", decline)).toBeUndefined();
      expect(asked.at(-1)).toEqual([undefined, true]);
      expect(await store.copies.mark("there")).toBeUndefined();
      await store.copies.begin("shop", () => MARK);
      await store.copies.begin("shop", decline);
      expect(asked.at(-1)).toEqual([MARK, false]);
    });

    it("reject the writes of a run that another run has replaced, and of one that has ended", async () => {
      const { copies } = target.store;
      const batch = { puts: [{ key: "e1", value: event("e1") }], removals: [], upTo: "e1" };
      const write = (run: string) => copies.write("shop", run, { table: "events", ...batch });
      await expect(write("r1")).rejects.toThrow(Conflict);
      await copies.begin("shop", () => MARK);
      await copies.begin("shop", () => ({ ...MARK, run: "r2" }));
      await expect(write("r1")).rejects.toThrow(Conflict);
      await expect(copies.finish(app("shop"), "r1")).rejects.toThrow(Conflict);
      await write("r2");
      await copies.finish(app("shop"), "r2");
      await expect(write("r2")).rejects.toThrow(Conflict);
      expect(await target.store.apps.get("shop")).toEqual(app("shop"));
    });
  });
}
