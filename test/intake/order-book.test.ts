import { describe, expect, it } from "vitest";
import { NOON } from "../fixtures/store.js";
import { draft, intake, order, product } from "./intake-fixture.js";

describe("the order book", () => {
  const said = (status: string, occurredAt: number) =>
    draft("order", { occurredAt, order: order("o1", { status }), products: [product("p1")] });

  it.each([
    ["in order", ["paid", "sent"]],
    ["when they come the other way round", ["sent", "paid"]],
  ])("keeps the newest status among the copies of an order, %s", async (_name, statuses) => {
    const { record, store } = await intake();
    const at: Record<string, number> = { paid: NOON - 2000, sent: NOON - 1000 };
    for (const status of statuses) await record(said(status, at[status] ?? 0));
    expect((await store.orders.get("shop", "o1"))?.status).toBe("sent");
  });

  it.each([
    ["a robot alone", [true], true],
    ["a robot and then a person", [true, false], false],
    ["a person and then a robot", [false, true], false],
  ])("records an order sent by %s as bot = %s", async (_name, senders, expected) => {
    const { record, store } = await intake();
    for (const bot of senders) await record({ ...said("paid", NOON - 1000), bot });
    expect((await store.orders.get("shop", "o1"))?.bot).toBe(expected);
    const [found] = await store.interactions.recent("shop", ["anonymous:order:o1"], 1);
    expect(found?.bot === true).toBe(expected);
  });

  it("keeps its status when a newer copy has none", async () => {
    const { record, store } = await intake();
    await record(said("paid", NOON - 2000));
    await record(said("", NOON - 1000));
    expect((await store.orders.get("shop", "o1"))?.status).toBe("paid");
  });
});
