import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

/** The shop's own server, networks of its customers, and one of a stranger. */
const SHOP = "192.0.2.10";
const HOME = "198.51.100.7";
const PHONE = "198.18.4.4";
const STRANGER = "203.0.113.66";

const FOREIGN = "the order belongs to somebody else; this event has no effect on it";
const APART = "the order id is that of somebody else's order; this one is kept apart from it";
const CANCELLED = "the order is cancelled and stays out of the history";

const FORWARDED = { "x-forwarded-for": "203.0.113.1" };

const stores = await storeKinds();

describe.each(stores)("an order whose number strangers know: $name", ({ openStore }) => {
  async function shop() {
    const aisle = await openAisle(openStore, { networks: { trustedProxies: [], shopNetworks: ["192.0.2.0/24"] } });
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const send = async (address: string, action: string, more: Record<string, string>) => {
      aisle.now.at += 1000;
      const form = { app_id: "shop", action_type: action, order_id: "1001", ...more };
      const { status, eventId } = await aisle.trace(form, address);
      expect(status).toBe(200);
      return (await aisle.rpc.events.getEvent({ appId: "shop", eventId })).event?.notes ?? [];
    };
    const order = (address: string, more: Record<string, string>) =>
      send(address, "order", { product_ids: "p1|p2", ...more });
    const cancel = (address: string, more: Record<string, string> = {}) => send(address, "order_cancel", more);
    /** Products bought by whoever has this cookie id; its contact's too. */
    const bought = async (clientId: string) => {
      const visitors = await aisle.store.visitors.find("shop", [`c:${clientId}`]);
      const ids = visitors.flatMap(({ members, contactId }) => (contactId === "" ? members : [...members, contactId]));
      const rows = await aisle.store.interactions.recent("shop", ids, 100);
      return rows.filter(({ type }) => type === "order").flatMap(({ productIds }) => productIds);
    };
    return { ...aisle, order, cancel, bought };
  }

  it.each([
    ["a cookie of their own", { c_id: "evil" }],
    ["the customer's address", { c_id: "evil", email: "ann@x.de" }],
    ["the customer's user id", { c_id: "evil", user_id: "7" }],
  ])("is neither shown to, nor changed, nor cancelled by strangers who name %s", async (_, names) => {
    const { order, cancel, bought, store } = await shop();
    await order(HOME, { c_id: "ann", email: "ann@x.de", user_id: "7" });
    expect(await order(STRANGER, { ...names, product_ids: "p3|p4|p5" })).not.toEqual([]);
    expect(await cancel(STRANGER, { ...names })).not.toEqual([]);
    expect(await store.orders.get("shop", "1001")).toMatchObject({
      lines: [{ productId: "p1" }, { productId: "p2" }],
      cancelled: false,
    });
    expect(await bought("ann")).toEqual(["p1", "p2"]);
    expect(await bought("evil")).not.toContain("p1");
  });

  it.each([
    ["nobody", {}],
    ["the customer's address alone", { email: "ann@x.de" }],
    ["the customer's user id alone", { user_id: "7" }],
  ])("is not changed or cancelled by an event that names %s", async (_, names) => {
    const { order, cancel, bought } = await shop();
    await order(HOME, { c_id: "ann", email: "ann@x.de", user_id: "7" });
    expect(await order(STRANGER, { ...names, product_ids: "p3|p4|p5" })).toEqual([FOREIGN]);
    expect(await cancel(STRANGER, { ...names })).toEqual([FOREIGN]);
    expect(await bought("ann")).toEqual(["p1", "p2"]);
  });

  it("of a customer known only by address is not taken away by that address", async () => {
    const { order, cancel, store } = await shop();
    await order(SHOP, { email: "ann@x.de" });
    const before = await store.orders.get("shop", "1001");
    for (const names of [{ c_id: "evil" }, { c_id: "evil", email: "ann@x.de" }, { email: "ann@x.de" }]) {
      expect(await order(STRANGER, { ...names, product_ids: "p3|p4|p5" })).toEqual([FOREIGN]);
      expect(await cancel(STRANGER, { ...names })).toEqual([FOREIGN]);
    }
    // That a browser claims it matters to results of lists alone.
    const { claimedBy, ...after } = (await store.orders.get("shop", "1001"))!;
    expect(claimedBy).toEqual(["c:evil"]);
    expect({ ...after, claimedBy: [] }).toEqual(before);
  });

  it("is changed by its customer from any network, and by a visitor whom the shop has linked to the contact", async () => {
    const { order, cancel, bought, rpc } = await shop();
    await order(HOME, { c_id: "ann", fp_ccid: "f-ann" });
    expect(await order(PHONE, { fp_ccid: "f-ann", product_ids: "p1|p2|p3" })).toEqual([]);
    expect(await bought("ann")).toEqual(["p1", "p2", "p3"]);
    expect(await cancel(PHONE, { c_id: "ann" })).toEqual([]);
    expect(await bought("ann")).toEqual([]);

    await order(SHOP, { order_id: "1002", email: "bo@x.de" });
    expect(await cancel(HOME, { order_id: "1002", c_id: "bo", email: "bo@x.de" })).toEqual([FOREIGN]);
    await rpc.subscriptions.setSubscription({ appId: "shop", email: "bo@x.de", visitor: { clientId: "bo" } });
    expect(await bought("bo")).toEqual(["p1", "p2"]);
    expect(await cancel(PHONE, { order_id: "1002", c_id: "bo" })).toEqual([]);
    expect(await bought("bo")).toEqual([]);
  });

  it("that names no browser is completed and cancelled by the unsigned server that sent it, and by no browser at its address", async () => {
    const { order, cancel, bought, store } = await shop();
    const server = { sender_type: "server" };
    const lines = async () => (await store.orders.get("shop", "1001"))?.lines.length;
    await order(HOME, { ...server, email: "ann@x.de" });
    expect(await order(HOME, { ...server, product_ids: "p1|p2|p3" })).toEqual([]);
    expect(await lines()).toBe(3);
    expect(await order(HOME, { c_id: "ann", product_ids: "p1|p2|p3|p4" })).toEqual([APART]);
    expect(await cancel(HOME, { c_id: "neighbour" })).not.toEqual([]);
    expect([await lines(), await bought("ann")]).toEqual([3, ["p1", "p2", "p3", "p4"]]);
    expect(await cancel(HOME, server)).toEqual([]);
    expect((await store.orders.get("shop", "1001"))?.cancelled).toBe(true);
  });

  it("that names a browser takes nothing from an unsigned server, even at the browser's address", async () => {
    const { order, cancel, bought } = await shop();
    await order(HOME, { c_id: "ann" });
    for (const names of [{}, { sender_type: "server" }, { email: "ann@x.de" }, { user_id: "7" }]) {
      expect(await order(HOME, { ...names, product_ids: "p1|p2|p3" })).toEqual([FOREIGN]);
      expect(await cancel(HOME, names)).toEqual([FOREIGN]);
    }
    expect(await bought("ann")).toEqual(["p1", "p2"]);
  });

  it.each([
    ["another address of its network", "198.51.100.7", {}, "198.51.100.8", {}],
    ["the same private address", "10.0.0.5", {}, "10.0.0.5", {}],
    ["the same machine", "127.0.0.1", {}, "127.0.0.1", {}],
    ["the same unnamed proxy", "198.51.100.7", FORWARDED, "198.51.100.7", FORWARDED],
    ["an address that a proxy used before", "198.51.100.7", FORWARDED, "198.51.100.7", {}],
    ["the same proxy that tells only by Via", "198.51.100.7", { via: "1.1 cdn" }, "198.51.100.7", { via: "1.1 cdn" }],
    ["another address of one IPv6 network", "2001:db8::1", {}, "2001:db8::2", {}],
  ])("without a browser is not changed from %s", async (_, from, headers, other, otherHeaders) => {
    const { trace, rpc, store } = await shop();
    const post = async (address: string, action_type: string, more: object, sent: Record<string, string>) => {
      const { eventId } = await trace({ app_id: "shop", order_id: "1", action_type, ...more }, address, sent);
      return (await rpc.events.getEvent({ appId: "shop", eventId })).event?.notes;
    };
    await post(from, "order", { product_ids: "p1" }, headers);
    expect(await post(other, "order", { product_ids: "p1|p2" }, otherHeaders)).toEqual([FOREIGN]);
    expect(await post(other, "order_cancel", {}, otherHeaders)).toEqual([FOREIGN]);
    expect(await store.orders.get("shop", "1")).toMatchObject({ lines: [{ productId: "p1" }], cancelled: false });
  });

  it("is stored under a key of the shop's own server that a stranger used before", async () => {
    const { trace, store } = await shop();
    const post = (address: string, product_ids: string) =>
      trace({ app_id: "shop", action_type: "order", order_id: "1", product_ids, idempotency_key: "order-1" }, address);
    expect((await post("203.0.113.66", "p9")).status).toBe(200);
    expect((await post("203.0.113.67", "p1")).status).toBe(200);
    expect((await post(SHOP, "p1|p2")).status).toBe(200);
    expect((await store.orders.get("shop", "1"))?.lines).toHaveLength(2);
    expect((await post("203.0.113.67", "p2")).status).toBe(422);
  });

  it("can be cancelled beforehand by the shop, and not by a stranger", async () => {
    const { order, cancel, bought } = await shop();
    for (const names of [{}, { c_id: "evil" }]) await cancel(STRANGER, names);
    expect(await order(HOME, { c_id: "ann" })).toEqual([]);
    expect(await bought("ann")).toEqual(["p1", "p2"]);
    await cancel(SHOP, { order_id: "1002" });
    expect(await order(HOME, { order_id: "1002", c_id: "bo" })).toEqual([CANCELLED]);
    expect(await order(SHOP, { order_id: "1002", c_id: "bo" })).toEqual([CANCELLED]);
    expect(await bought("bo")).toEqual([]);
  });

  it("belongs to its customer even when a stranger sent the number first, and the customer can cancel it", async () => {
    const { order, cancel, bought } = await shop();
    await order(STRANGER, { c_id: "evil", product_ids: "p9" });
    expect(await order(HOME, { c_id: "ann" })).toEqual([APART]);
    expect(await order(PHONE, { c_id: "ann", product_ids: "p1|p2|p3" })).toEqual([APART]);
    expect(await bought("ann")).toEqual(["p1", "p2", "p3"]);
    expect(await bought("evil")).toEqual(["p9"]);
    expect(await cancel(HOME, { c_id: "ann" })).toEqual([APART]);
    expect(await bought("ann")).toEqual([]);
    expect(await bought("evil")).toEqual(["p9"]);
  });

  it.each([
    ["the customer's cookie", { c_id: "ann" }],
    ["the customer's address", { email: "ann@x.de" }],
  ])("is corrected by the shop's own copy, which names %s, whatever strangers claimed before", async (_, names) => {
    const { order, cancel, bought, store, rpc } = await shop();
    await rpc.subscriptions.setSubscription({ appId: "shop", email: "ann@x.de", visitor: { clientId: "ann" } });
    await order(STRANGER, { c_id: "evil", email: "ann@x.de", product_ids: "p7|p8|p9", order_status: "void" });
    await cancel(STRANGER, { c_id: "evil" });
    await order(HOME, { c_id: "ann" }); // kept apart or refused, and now one with the shop's
    expect(await order(SHOP, { ...names })).toEqual([]);
    expect(await store.orders.get("shop", "1001")).toMatchObject({
      lines: [{ productId: "p1" }, { productId: "p2" }],
      cancelled: false,
      status: "",
      vouched: true,
    });
    expect(await bought("ann")).toEqual(["p1", "p2"]);
    expect(await order(STRANGER, { c_id: "evil" })).toEqual([FOREIGN]);
    expect(await cancel(STRANGER, { c_id: "evil" })).toEqual([FOREIGN]);
    expect(await bought("ann")).toEqual(["p1", "p2"]);
  });

  it("is exported under the number that its senders gave it", async () => {
    const { order, rpc } = await shop();
    await order(STRANGER, { c_id: "evil", product_ids: "p9" });
    await order(HOME, { c_id: "ann" });
    const ids: string[] = [];
    for await (const { item } of rpc.privacy.exportVisitor({
      appId: "shop",
      person: { visitor: { clientId: "ann" } },
    }))
      if (item.case === "order") ids.push(item.value.orderId);
    expect(ids).toEqual(["1001"]);
  });
});
