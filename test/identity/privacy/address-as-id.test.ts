import { describe, expect, it } from "vitest";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import { openAisle } from "../../fixtures/aisle.js";
import { storeKinds } from "../../fixtures/stores.js";
import { erase } from "./person.js";

const ANN = "ann@x.example";

describe.each(await storeKinds())("an e-mail address as id: $name", ({ openStore }) => {
  const openShop = async () => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const send = async (action_type: string, form: Record<string, string>) => {
      aisle.now.at += 1;
      const { status } = await aisle.trace({ app_id: "shop", action_type, ...form }, "203.0.113.5");
      expect(status).toBe(200);
    };
    const stored = async () => {
      const rows = [];
      for (const table of COPIED_TABLES) rows.push(...(await aisle.store.copies.scan("shop", table, "", 1000)));
      return JSON.stringify(rows);
    };
    const exported = async () => {
      const found = [];
      for await (const { item } of aisle.rpc.privacy.exportVisitor({ appId: "shop", person: { email: ANN } }))
        found.push(JSON.stringify(item, (_name, value: unknown) => (typeof value === "bigint" ? `${value}` : value)));
      return found.join("\n");
    };
    return { ...aisle, send, stored, exported };
  };

  it.each([
    ["a user id", { user_id: ANN }],
    ["a user id in capitals", { user_id: "Ann@X.example" }],
    ["an escaped user id", { user_id: "ann%40x.example", note: "100 %" }],
    ["a client id", { c_id: ANN }],
    ["the user id of a browser", { c_id: "browser-of-ann", user_id: ANN }],
    ["the user id of a browser, in capitals", { fp_ccid: "browser-of-ann", user_id: "ANN@X.EXAMPLE" }],
  ])("takes all of the visitor with it in an export and an erasure: %s", async (_, ids) => {
    const { send, stored, exported, ...aisle } = await openShop();
    const { user_id: _user, ...browser } = { user_id: "", ...ids };
    await send("product_view", { ...ids, product_ids: "mark-view" });
    await send("order", { ...ids, order_id: "mark-order", product_ids: "mark-bought" });
    if (Object.keys(browser).some((name) => name !== "note"))
      await send("product_view", { ...browser, product_ids: "mark-alone" });
    await send("product_view", { c_id: "omar", user_id: "joann@x.example", product_ids: "of-omar" });
    await send("order", {
      c_id: "omar",
      user_id: "joann@x.example",
      order_id: "order-of-omar",
      product_ids: "of-omar",
    });
    const before = await exported();
    expect(before.match(/"visitor(Id)?":/g)).not.toBe(null);
    for (const mark of ["mark-view", "mark-order", "mark-bought"]) expect(before).toContain(mark);
    expect(before).not.toMatch(/omar/);
    const { removed } = await erase(aisle, "shop", { email: ANN });
    expect(removed).toMatchObject({ visitors: 1, orders: 1 });
    const left = await stored();
    expect(left).not.toMatch(/[^o]ann(@|%40)|mark-|browser-of-ann/i);
    expect(left).toMatch(/joann@x\.example/);
    expect(await exported()).toBe("");
  });

  it.each([
    ["number", { order_id: ANN }],
    ["status", { order_id: "mark-1", order_status: `sent to ${ANN}` }],
  ])("is found by an erasure in the %s of an order", async (_, order) => {
    const { send, stored, ...aisle } = await openShop();
    await send("order", { ...order, c_id: "someone", product_ids: "p1" });
    expect((await erase(aisle, "shop", { email: ANN })).removed).toMatchObject({ orders: 1, events: 1 });
    expect(await stored()).not.toMatch(/ann@|mark-/);
  });

  it("makes a new visitor after an erasure, which a second look leaves", async () => {
    const { send, stored, ...aisle } = await openShop();
    await send("product_view", { user_id: ANN, product_ids: "before" });
    await erase(aisle, "shop", { email: ANN });
    await send("product_view", { user_id: ANN, product_ids: "after" });
    const left = await stored();
    expect(left).toContain(`u:${ANN}`);
    expect([left.includes("before"), left.includes("after")]).toEqual([false, true]);
  });
});
