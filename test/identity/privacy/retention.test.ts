import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { PrivacySettingsSchema } from "../../../src/gen/aisle/v1/app_pb.js";
import { createSweepRetention } from "../../../src/identity/privacy/retention.js";
import type { CopiedTable, Copies } from "../../../src/store/ports/copies.js";
import { openAisle } from "../../fixtures/aisle.js";
import { storeKinds } from "../../fixtures/stores.js";
import { MAJA, OMAR, visitShop } from "./person.js";

const stores = await storeKinds();
const DAY_MS = 86_400_000;

describe.each(stores)("retention: $name", ({ openStore }) => {
  const openShop = async (days: { retention?: number; rejectedRetention?: number }) => {
    const aisle = await openAisle(openStore);
    const [retention, rejectedRetention] = [days.retention, days.rejectedRetention].map((n = 0) =>
      durationFromMs(n * DAY_MS),
    );
    const privacy = create(PrivacySettingsSchema, { retention, rejectedRetention });
    await aisle.rpc.apps.createApp({ app: { appId: "shop", privacy } });
    await visitShop(aisle, "shop", ["maja", "omar"]);
    const count = async (table: CopiedTable) => (await aisle.store.copies.scan("shop", table, "", 1000)).length;
    const sweep = () =>
      aisle.sweepRetention((_appId, error) => {
        throw error;
      });
    return { ...aisle, count, sweep };
  };

  it("removes old events with their orders, histories and unused visitors, and keeps contacts and the ledger", async () => {
    const shop = await openShop({ retention: 30 });
    await shop.trace({ app_id: "shop", action_type: "product_view", product_ids: "p1", c_id: "nobody" });
    const before = [await shop.count("contacts"), await shop.count("changes")];
    shop.now.at += 31 * DAY_MS;
    await shop.trace({ app_id: "shop", action_type: "product_view", product_ids: "p1", c_id: "newcomer" });
    await shop.sweep();
    expect([await shop.count("events"), await shop.count("interactions"), await shop.count("orders")]).toEqual([
      1, 1, 0,
    ]);
    const keys = (await shop.store.copies.scan("shop", "visitorKeys", "", 100)).map(({ key }) => key);
    expect(keys).toContain("c:newcomer");
    expect(keys).not.toContain("c:nobody");
    expect([await shop.count("contacts"), await shop.count("changes")]).toEqual(before);
    expect(await shop.status("shop", OMAR.fp_ccid)).toMatchObject({ identified: true, status: true });
    expect(await shop.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: true });
    expect(await shop.count("rejectedEvents")).toBe(1);
  });

  it("keeps a cancellation that came before its order, until it is as old as the rest", async () => {
    const shop = await openShop({ retention: 30 });
    const cancelled = async () => (await shop.store.orders.get("shop", "later"))?.cancelled;
    await shop.trace({ app_id: "shop", action_type: "order_cancel", order_id: "later", c_id: "c1" });
    await shop.sweep();
    expect(await cancelled()).toBe(true);
    // Earlier versions kept no time of it.
    await shop.store.unitOfWork.run("shop", (tx) =>
      tx.orders.put("later", { ...tx.orders.get("later")!, receivedAt: 0 }),
    );
    await shop.sweep();
    expect(await cancelled()).toBe(true);
    shop.now.at += 31 * DAY_MS;
    await shop.sweep();
    expect(await cancelled()).toBeUndefined();
  });

  it("keeps a record that changes during the sweep: an order with a new status", async () => {
    const shop = await openShop({ retention: 30 });
    shop.now.at += 31 * DAY_MS;
    const { apps, copies, unitOfWork } = shop.store;
    let changed = 0;
    const scan: Copies["scan"] = async (appId, table, after, limit) => {
      const rows = await copies.scan(appId, table, after, limit);
      if (table === "orders" && after === "") {
        await unitOfWork.run(appId, (tx) => {
          for (const { key } of rows) tx.orders.put(key, { ...tx.orders.get(key)!, statusAt: shop.now.at });
        });
        changed = rows.length;
      }
      return rows;
    };
    const sweep = createSweepRetention({
      apps,
      copies: { scan },
      unitOfWork,
      scrub: shop.store.scrub,
      now: shop.now,
      metrics: { count: () => undefined, observe: () => undefined },
    });
    await sweep((_appId, error) => {
      throw error;
    });
    expect(changed).toBeGreaterThan(0);
    expect(await shop.count("orders")).toBe(changed);
  });

  it("keeps records for the configured time, and for ever without a setting", async () => {
    for (const [retentionDays, after] of [
      [30, 29],
      [0, 4000],
    ] as const) {
      const shop = await openShop({ retention: retentionDays });
      const before = await shop.count("events");
      shop.now.at += after * DAY_MS;
      await shop.sweep();
      expect(await shop.count("events")).toBe(before);
      expect(before).toBeGreaterThan(10);
    }
  });

  it("goes by the time that the sender gives, up to five minutes ahead, and of rejected events by that of receipt", async () => {
    const shop = await openShop({ retention: 30, rejectedRetention: 7 });
    const dated = (ms: number, form: Record<string, string>) =>
      shop.trace({ app_id: "shop", utc_time: new Date(shop.now.at + ms).toISOString(), ...form });
    const view = { action_type: "product_view", product_ids: "p1" };
    const ahead = await dated(240_000, { ...view, c_id: "ahead" });
    const old = await dated(-40 * DAY_MS, { ...view, c_id: "back" });
    await dated(-40 * DAY_MS, { action_type: "order", order_id: "old", product_ids: "p1", c_id: "back" });
    await dated(-40 * DAY_MS, { action_type: "product_view", c_id: "refused" });
    await expect.poll(() => shop.count("rejectedEvents")).toBe(2); // hers of before, too
    const kept = async () => {
      await shop.sweep();
      const events = (await shop.store.copies.scan("shop", "events", "", 1000)).map(({ key }) => key);
      return [ahead, old].map(({ eventId }) => events.includes(eventId));
    };
    expect(await kept()).toEqual([true, false]);
    expect(await shop.store.orders.get("shop", "old")).toBeUndefined();
    expect(await shop.count("rejectedEvents")).toBe(2);
    shop.now.at += 30 * DAY_MS + 200_000;
    expect(await kept()).toEqual([true, false]);
    shop.now.at += 60_000;
    expect(await kept()).toEqual([false, false]);
  });

  it("removes rejected events by their own number of days", async () => {
    const shop = await openShop({ rejectedRetention: 7 });
    shop.now.at += 6 * DAY_MS;
    await shop.sweep();
    expect(await shop.count("rejectedEvents")).toBe(1);
    shop.now.at += 2 * DAY_MS;
    await shop.sweep();
    expect(await shop.count("rejectedEvents")).toBe(0);
    expect(await shop.count("events")).toBeGreaterThan(10);
  });
});
