import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";
const viewed = (productId: string) => ({ actionType: "product_view", products: [{ productId }] });

async function openShop() {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  return rpc;
}

it("BatchRecordEvents stores its events before it answers, and names each refused one", async () => {
  const { events } = await openShop();
  const { recorded, refused } = await events.batchRecordEvents({
    appId,
    events: [viewed("p1"), { actionType: "product_view" }, viewed("p2")],
  });
  expect([recorded.map(({ index }) => index), refused.map(({ index, field }) => [index, field])]).toEqual([
    [0, 2],
    [[1, "event.products"]],
  ]);
  const stored = await events.listEvents({ appId });
  expect(stored.events.map(({ eventId }) => eventId)).toEqual(recorded.map(({ eventId }) => eventId));
});

it("BatchRecordEvents sent again with its keys stores nothing twice", async () => {
  const { events } = await openShop();
  const batch = { appId, events: [viewed("p1"), viewed("p2")], idempotencyKeys: ["k1", "k2"] };
  const first = await events.batchRecordEvents(batch);
  const again = await events.batchRecordEvents(batch);
  expect(again.recorded).toEqual(first.recorded.map((one) => ({ ...one, deduplicated: true })));
  expect((await events.listEvents({ appId })).events).toHaveLength(2);
});

it.each([
  ["no events", { appId }],
  ["1,001 events", { appId, events: Array.from({ length: 1001 }, () => viewed("p1")) }],
  ["keys for some events", { appId, events: [viewed("p1"), viewed("p2")], idempotencyKeys: ["k1"] }],
])("BatchRecordEvents rejects %s", async (_, request) => {
  const { events } = await openShop();
  await expect(events.batchRecordEvents(request)).rejects.toMatchObject({ code: Code.InvalidArgument });
});
