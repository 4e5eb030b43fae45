import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { COUNT, makeShopOfPairs } from "../fixtures/shop-of-pairs.js";
import { NOON } from "../fixtures/store.js";
import { storeKinds } from "../fixtures/stores.js";

const LAST = `p${COUNT - 1}`;

describe.each(await storeKinds())("a model with events after its training: $name", ({ openStore }) => {
  /** Products viewed in pairs, but for the last one, which nobody met. */
  const openShop = async () => {
    const aisle = await openAisle(openStore, { liveLearning: true });
    await makeShopOfPairs(aisle.rpc, NOON - 86_400_000);
    await aisle.trainer.train("shop", () => undefined);
    const recommended = async (productId = "p0") => {
      const body = { appId: "shop", productInteractions: [], currentProductIds: productId };
      const answer = await aisle.recommend({ ...body, marketingMachineFrameConfigurationId: "lean" });
      return answer.recommended.map((card) => card.productId);
    };
    const send = (form: Record<string, string>) =>
      aisle.trace({ app_id: "shop", action_type: "product_view", ...form });
    await recommended();
    await aisle.refreshLive();
    return { ...aisle, recommended, send };
  };

  it("recommends what another visitor went on to, and no more once that visitor is erased", async () => {
    const aisle = await openShop();
    expect(await aisle.recommended()).not.toContain(LAST);
    await aisle.send({ c_id: "a", product_ids: "p0" });
    await aisle.send({ c_id: "a", product_ids: LAST });
    await aisle.refreshLive();
    expect(await aisle.recommended()).toContain(LAST);
    await erased(aisle.rpc, "shop", { visitor: { clientId: "a" } });
    await aisle.refreshLive();
    expect(await aisle.recommended()).not.toContain(LAST);
  });

  it("forgets an order that is cancelled", async () => {
    const aisle = await openShop();
    await aisle.send({ c_id: "a", product_ids: "p0" });
    const order = { c_id: "a", product_ids: LAST, order_id: "o1" };
    await aisle.send({ ...order, action_type: "order" });
    await aisle.refreshLive();
    expect(await aisle.recommended()).toContain(LAST);
    await aisle.send({ ...order, action_type: "order_cancel" });
    await aisle.refreshLive();
    expect(await aisle.recommended()).not.toContain(LAST);
  });

  it("learns the newest 200 products of a visitor at most", async () => {
    const aisle = await openShop();
    await aisle.send({ c_id: "a", product_ids: "p0" });
    await aisle.send({ c_id: "a", product_ids: LAST });
    await aisle.refreshLive();
    expect(await aisle.recommended()).toContain(LAST);
    for (const from of [0, 100]) {
      const many = Array.from({ length: 100 }, (_, n) => `x${from + n}`);
      await aisle.send({ c_id: "a", product_ids: many.join("|") });
    }
    await aisle.refreshLive();
    expect(await aisle.recommended()).not.toContain(LAST);
  });

  it("says how far it has learned", async () => {
    const aisle = await openShop();
    const learnedUntil = async () => {
      const { model } = await aisle.rpc.models.getModel({ appId: "shop" });
      return model?.learnedUntilTime && timestampMs(model.learnedUntilTime);
    };
    const before = await learnedUntil();
    aisle.now.at += 1000;
    await aisle.send({ c_id: "a", product_ids: "p0" });
    const { events } = await aisle.rpc.events.listEvents({ appId: "shop", newestFirst: true, pageSize: 1 });
    const receivedAt = events[0]?.receiveTime && timestampMs(events[0].receiveTime);
    expect(before).toBeLessThan(receivedAt ?? 0);
    await aisle.refreshLive();
    expect(await learnedUntil()).toBe(receivedAt);
  });

  it("learns nothing from crawlers", async () => {
    const aisle = await openShop();
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "a", product_ids: "p0" }, "127.0.0.1", {
      "user-agent": "Googlebot/2.1",
    });
    await aisle.trace({ app_id: "shop", action_type: "product_view", c_id: "a", product_ids: LAST }, "127.0.0.1", {
      "user-agent": "Googlebot/2.1",
    });
    await aisle.refreshLive();
    expect(await aisle.recommended()).not.toContain(LAST);
  });
});
