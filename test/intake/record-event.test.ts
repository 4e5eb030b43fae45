import { describe, expect, it } from "vitest";
import { AlreadyExists } from "../../src/domain/errors.js";
import { draft, intake, NO_CONTACT, NO_VISITOR, order, product } from "./intake-fixture.js";

const VIEW = draft("product_view", { products: [product("p1")] });

describe("recording an event", () => {
  it("stores an event as it was understood", async () => {
    const { record, store } = await intake();
    const { eventId } = await record(draft("Product_View", { products: [product("p1", { title: "Tent" })] }));
    const event = await store.events.get("shop", eventId);
    expect(event).toMatchObject({ actionType: "product_view", products: [{ productId: "p1", title: "Tent" }] });
  });

  it("rejects an empty action", async () => {
    const { record } = await intake();
    await expect(record(draft(""))).rejects.toMatchObject({ field: "event.action_type", fault: "missing" });
  });

  it("replaces a time in the far future by the time of receipt, with a note", async () => {
    const { record, store, now } = await intake();
    const { eventId, notes } = await record({ ...VIEW, occurredAt: now.at + 3600_000 });
    expect((await store.events.get("shop", eventId))?.occurredAt).toBe(now.at);
    expect(notes).toContain("the event's time is not plausible; the time of receipt counts");
  });

  it("uses only the catalogue's id for a product that came with a SKU", async () => {
    const { record, store } = await intake();
    await record(draft("product_view", { products: [product("p1", { sku: "S-1" })] }));
    const { eventId } = await record(draft("product_view", { products: [product("", { sku: "S-1" })] }));
    expect((await store.events.get("shop", eventId))?.products[0]?.productId).toBe("p1");
  });

  describe("an idempotency key", () => {
    it("rejects another body", async () => {
      const { record } = await intake();
      await record(VIEW, "key-1");
      const other = draft("product_view", { products: [product("p2")] });
      await expect(record(other, "key-1")).rejects.toBeInstanceOf(AlreadyExists);
    });

    it("compares what was sent, also when it is parsed differently later", async () => {
      const { record, now } = await intake();
      const sent = { ...VIEW, sentDigest: "digest-1" };
      const first = await record(sent, "key-1");
      const readLater = { ...sent, occurredAt: now.at, extraFields: {} };
      expect(await record(readLater, "key-1")).toMatchObject({ eventId: first.eventId, deduplicated: true });
      const other = { ...sent, occurredAt: now.at, sentDigest: "digest-2" };
      await expect(record(other, "key-1")).rejects.toBeInstanceOf(AlreadyExists);
    });

    it("from before the facade passed on what was sent is compared by the parsed event", async () => {
      const { record } = await intake();
      const first = await record(VIEW, "key-1");
      const again = await record({ ...VIEW, sentDigest: "digest-1" }, "key-1");
      expect(again).toMatchObject({ eventId: first.eventId, deduplicated: true });
    });

    it("used by many callers at once stores one event", async () => {
      const { record, store } = await intake();
      const all = await Promise.all(Array.from({ length: 20 }, () => record(VIEW, "key-1")));
      expect(new Set(all.map((one) => one.eventId)).size).toBe(1);
      expect(await store.events.list("shop", "", 10, false)).toHaveLength(1);
    });
  });

  it("marks and keeps a crawler's interactions, and counts its events once", async () => {
    const { record, store, metrics } = await intake();
    const visitor = { ...NO_VISITOR, clientId: "c1" };
    await record({ ...VIEW, visitor, bot: true }, "key-1");
    await record({ ...VIEW, visitor, bot: true }, "key-1");
    await record({ ...VIEW, visitor });
    const [{ members: ids } = { members: [] }] = await store.visitors.find("shop", ["c:c1"]);
    const found = await store.interactions.recent("shop", ids, 10);
    expect(found.map(({ bot }) => bot === true).sort()).toEqual([false, true]);
    expect(metrics.counts.get("events_of_bots")).toBe(1);
  });

  it("accepts a retry with another user agent as the same event", async () => {
    const { record } = await intake();
    const first = await record(VIEW, "key-1");
    expect(await record({ ...VIEW, bot: true }, "key-1")).toMatchObject({ eventId: first.eventId, deduplicated: true });
  });

  it("counts events stored, events deduplicated, and both as acknowledged", async () => {
    const { record, metrics } = await intake();
    await record(VIEW, "key-1");
    await record(VIEW, "key-1");
    expect(Object.fromEntries(metrics.counts)).toEqual({
      events_stored: 1,
      events_deduplicated: 1,
      events_acknowledged: 2,
      learned_products: 1,
    });
  });
});

describe("a visitor's history", () => {
  const visitor = { ...NO_VISITOR, clientId: "c1" };

  it("contains views, cart additions and orders, newest first", async () => {
    const { record, historyOf, now } = await intake();
    await record({ ...VIEW, visitor });
    now.at += 1000;
    await record(draft("add_to_cart", { visitor, products: [product("p1"), product("p2")] }));
    now.at += 1000;
    await record(draft("order", { visitor, order: order("o1"), products: [product("p1")] }));
    expect(await historyOf("c:c1")).toEqual(["order p1", "add_to_cart p1,p2", "product_view p1"]);
  });

  it("includes what a contact did elsewhere once the visitor is linked to it", async () => {
    const { record, historyOf, now } = await intake();
    const contact = { ...NO_CONTACT, email: "ann@example.com" };
    await record(draft("order", { sender: "server", contact, order: order("o1"), products: [product("p9")] }));
    now.at += 1000;
    await record({ ...VIEW, visitor, contact });
    expect(await historyOf("c:c1")).toEqual(["product_view p1", "order p9"]);
  });
});

describe("an order", () => {
  const visitor = { ...NO_VISITOR, clientId: "c1" };
  const browser = draft("order", { visitor, order: order("o1"), products: [product("p1")] });
  const server = draft("order", {
    sender: "server",
    contact: { ...NO_CONTACT, email: "ann@example.com" },
    order: order("o1", { status: "paid" }),
    products: [product("p1"), product("p2", { quantity: 3 })],
  });

  it.each([
    ["browser first", [browser, server]],
    ["server first", [server, browser]],
  ])("sent by browser and server is one order, %s", async (_name, copies) => {
    const { record, store, historyOf, now } = await intake();
    for (const copy of copies) {
      await record(copy);
      now.at += 1000;
    }
    const merged = await store.orders.get("shop", "o1");
    expect(merged).toMatchObject({
      status: "paid",
      lines: [
        { productId: "p1", quantity: 1 },
        { productId: "p2", quantity: 3 },
      ],
      visitor: { clientId: "c1" },
    });
    expect(merged?.contactId).not.toBe("");
    expect(await historyOf("c:c1")).toEqual(["order p1,p2"]);
  });

  it.each([
    ["after the order", [browser, draft("order_cancel", { order: order("o1") })]],
    ["before the order", [draft("order_cancel", { order: order("o1") }), browser]],
  ])("leaves the history when it is cancelled %s", async (_name, events) => {
    const { record, store, historyOf } = await intake();
    for (const event of events) await record(event);
    expect((await store.orders.get("shop", "o1"))?.cancelled).toBe(true);
    expect(await historyOf("c:c1")).toEqual([]);
  });
});
