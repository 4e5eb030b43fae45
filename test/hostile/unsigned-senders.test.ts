import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

/** The shop's own server, its browsers' networks, and a network of a stranger. */
const SHOP = "192.0.2.10";
const HOME = "198.51.100.7";
const PHONE = "100.99.4.4";
const STRANGER = "203.0.113.66";

const stores = await storeKinds();

describe.each(stores)("strangers who know an app id: $name", ({ openStore }) => {
  async function shop() {
    const networks = { trustedProxies: [], shopNetworks: ["192.0.2.0/24"] };
    const aisle = await openAisle(openStore, { networks });
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    return aisle;
  }

  const order = (n: number) => ({
    app_id: "shop",
    action_type: "order",
    sender_type: "server",
    order_id: `order-${n}`,
    product_ids: "p1",
  });

  it("use up only their own limit of backend senders: 30 of 30 real orders pass, trusted or not", async () => {
    const { trace } = await shop();
    const spam = { app_id: "shop", action_type: "other", sender_type: "server" };
    const answers = await Promise.all(Array.from({ length: 300 }, () => trace(spam, STRANGER)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(429)]).toEqual([100, 200]);
    for (const address of [SHOP, HOME]) {
      const orders = await Promise.all(Array.from({ length: 30 }, (_, n) => trace(order(n), address)));
      expect(orders.map(({ status }) => status)).toEqual(new Array<number>(30).fill(200));
    }
  });

  it("cannot take an idempotency key from the shop, its unsigned server or a visitor", async () => {
    const { trace, rpc } = await shop();
    const key = { idempotency_key: "order-1" };
    const visitor = { c_id: "c-1", fp_ccid: "f-1" };
    const squats = [
      await trace({ app_id: "shop", action_type: "other", ...key }, STRANGER),
      await trace({ app_id: "shop", action_type: "other", sender_type: "server", ...key }, STRANGER),
      await trace({ app_id: "shop", action_type: "other", sender_type: "server", ...visitor, ...key }, STRANGER),
      await trace({ app_id: "shop", action_type: "other", c_id: "c-2", ...key }, STRANGER),
      await trace({ app_id: "shop", action_type: "other", user_id: "7", ...key }, STRANGER),
    ];
    const real = [
      await trace({ ...order(1), ...key }, SHOP),
      await trace({ ...order(1), ...key }, HOME),
      await trace({ app_id: "shop", action_type: "homepage_view", ...visitor, ...key }, HOME),
      await trace({ app_id: "shop", action_type: "homepage_view", user_id: "7", ...key }, PHONE),
    ];
    expect(real.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(real.map(({ eventId }) => eventId)).size).toBe(4);
    expect(squats.map(({ status }) => status)).toEqual([200, 422, 422, 200, 422]); // against each other
    const { rejectedEvents } = await rpc.events.listRejectedEvents({ appId: "shop" });
    expect(rejectedEvents.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["order-1", "order-1", "order-1"]);
  });

  it("break no retry: the event of one sender is stored once for 24 hours, whichever network a phone is on", async () => {
    const { trace, rpc, now } = await shop();
    const key = { idempotency_key: "k" };
    const view = { app_id: "shop", action_type: "homepage_view", c_id: "c-1", ...key };
    const [first, second] = [await trace(view, HOME), await trace(view, PHONE)];
    expect(second).toMatchObject({ status: 200, eventId: first.eventId });
    expect(await trace({ ...view, version: "2" }, PHONE)).toMatchObject({ status: 422 });

    const [atShop, again] = [await trace({ ...order(1), ...key }, SHOP), await trace({ ...order(1), ...key }, SHOP)];
    expect(again.eventId).toBe(atShop.eventId);
    const [unsigned, retried] = [
      await trace({ ...order(1), ...key }, HOME),
      await trace({ ...order(1), ...key }, HOME),
    ];
    expect(retried.eventId).toBe(unsigned.eventId);
    expect(new Set([first, atShop, unsigned].map(({ eventId }) => eventId)).size).toBe(3);

    now.at += 24 * 3600_000 + 1;
    expect((await trace(view, HOME)).eventId).not.toBe(first.eventId);
    expect((await rpc.events.listEvents({ appId: "shop" })).events).toHaveLength(4);
  });

  it("break no retry across an upgrade from keys without an owner", async () => {
    const { trace, store, now } = await shop();
    const view = { app_id: "shop", action_type: "homepage_view", c_id: "c-1", idempotency_key: "k" };
    const first = await trace(view, HOME);
    const rows = await store.copies.scan("shop", "idempotency", "", 10);
    expect(rows.map(({ key }) => key)).toEqual([expect.stringMatching(/^v[A-Za-z0-9_-]{16}\nk$/)]);
    const [{ key, value }] = rows as [(typeof rows)[number]];
    await store.unitOfWork.run("shop", (tx) => {
      tx.idempotency.delete(key);
      tx.idempotency.put("k", value);
    });
    now.at += 60_000;
    expect(await trace(view, HOME)).toMatchObject({ status: 200, eventId: first.eventId });
    expect(await trace({ ...view, c_id: "c-2" }, STRANGER)).toMatchObject({ status: 200 });
  });
});
