import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { ReadyListKind } from "../../src/gen/aisle/v1/ready_list_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const DAY = 86_400_000;

describe.each(await storeKinds())("a frame of bestsellers: $name", ({ openStore }) => {
  it("shows by REST what was ordered most in its days, of the group of its filter, once a model was trained", async () => {
    const { rpc, trace, recommend, trainer, now } = await openAisle(openStore);
    const appId = "shop";
    await rpc.apps.createApp({ app: { appId } });
    const feed = async function* () {
      const products = ["tent0", "tent1", "lamp0", "lamp1"].map((productId) => ({
        productId,
        title: `A ${productId}`,
        categories: [{ categoryId: productId.slice(0, 4) }],
      }));
      yield { appId, products };
    };
    await rpc.catalog.upsertProducts(feed());
    let orders = 0;
    const buy = async (productId: string, daysAgo: number, times: number) => {
      for (let n = 0; n < times; n++) {
        const id = String(++orders);
        const utc_time = new Date(now() - daysAgo * DAY).toISOString();
        const order = { action_type: "order", order_id: `o${id}`, c_id: `c${id}`, product_ids: productId, utc_time };
        expect((await trace({ app_id: appId, ...order })).status).toBe(200);
      }
    };
    await buy("tent0", 20, 5);
    await buy("tent1", 1, 2);
    await buy("lamp1", 0, 3);
    const set = (days: number, anyGroup: string[] = []) =>
      rpc.apps.setFrameConfiguration({
        appId,
        frameConfiguration: {
          frameId: "best",
          recommendedCount: 3,
          fallback: false,
          readyList: { kind: ReadyListKind.BESTSELLERS, period: durationFromMs(days * DAY) },
          filter: { anyGroupIds: anyGroup },
        },
      });
    const shown = async () => {
      const frame = { marketingMachineFrameConfigurationId: "best" };
      const { recommended } = await recommend({ appId, productInteractions: [], ...frame });
      return recommended.map(({ productId }) => productId);
    };
    await trainer.train(appId, () => undefined);
    await set(7);
    expect(await shown()).toEqual(["lamp1", "tent1"]);
    await set(30);
    expect(await shown()).toEqual(["tent0", "lamp1", "tent1"]);
    await set(30, ["tent"]);
    expect(await shown()).toEqual(["tent0", "tent1"]);
    const why = await rpc.recommendations.explainRecommendation({ request: { appId, frameId: "best" } });
    expect(why.recommendedReasons[0]?.sources[0]).toMatchObject({ rank: 1, counts: { orderCount: 5, days: 30 } });
  });
});
