import { expect, it } from "vitest";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { openAisle } from "../fixtures/aisle.js";

/** Sixty orders: a bestseller in most of them, and once with the lamp; the lamp mostly with its bulb. */
async function openShop() {
  const aisle = await openAisle();
  const { rpc, trainer } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const ids = ["bestseller", "lamp", "bulb", ...Array.from({ length: 20 }, (_, i) => `p${i}`)];
  const feed = async function* () {
    yield { appId: "shop", products: ids.map((productId) => ({ productId, title: productId })) };
  };
  await rpc.catalog.upsertProducts(feed());
  const order = async (n: number, ...product_ids: string[]) => {
    const fields = { app_id: "shop", action_type: "order", sender_type: "server", order_id: `o${n}` };
    expect((await aisle.trace({ ...fields, c_id: `v${n}`, product_ids: product_ids.join("|") })).status).toBe(200);
  };
  for (let n = 0; n < 45; n++) await order(n, "bestseller", `p${n % 20}`);
  for (let n = 45; n < 60; n++) await order(n, "lamp", "bulb", ...(n === 45 ? ["bestseller"] : []));
  await trainer.train("shop", () => undefined);
  const request = { appId: "shop", currentProductIds: ["lamp"] };
  const { recommendedReasons } = await rpc.recommendations.explainRecommendation({ request });
  return (productId: string) =>
    recommendedReasons
      .find((reason) => reason.productId === productId)
      ?.sources.filter(({ source }) => source === RecommendationSource.ASSOCIATION_RULES)
      .map(({ counts }) => counts?.lift);
}

it("a product ordered less often with another one than by chance is not said to be bought together with it", async () => {
  const liftsOf = await openShop();
  expect(liftsOf("bulb")?.[0]).toBeGreaterThan(1);
  expect(liftsOf("bestseller")).toEqual([]);
});
