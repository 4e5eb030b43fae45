import { describe, expect, it } from "vitest";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const KINDS = {
  tent: { words: "canvas shelter with poles and groundsheet", with: ["pegs", "cord"] },
  stove: { words: "burner for gas cartridges with flame guard", with: ["gas", "pot"] },
} as const;
const OTHERS = ["pegs", "cord", "gas", "pot", "lantern", "bestseller"];
const ids = (products: readonly { readonly productId: string }[]) => products.map(({ productId }) => productId);

/** Ten tents, ordered with pegs and cord; ten stoves, ordered with gas and pot; a bestseller in half of the orders. */
async function openShop(openStore?: Parameters<typeof openAisle>[0]) {
  const aisle = await openAisle(openStore);
  const { rpc, trainer } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const put = async (...products: readonly object[]) => {
    const feed = async function* () {
      yield { appId: "shop", products: [...products] };
    };
    await rpc.catalog.upsertProducts(feed());
  };
  const made = (kind: keyof typeof KINDS, n: number | string) => ({
    productId: `${kind}${n}`,
    title: `${kind} model ${n}`,
    description: KINDS[kind].words,
    categories: [{ categoryId: kind }],
  });
  const kinds = ["tent", "stove"] as const;
  await put(
    ...kinds.flatMap((kind) => Array.from({ length: 10 }, (_, n) => made(kind, n))),
    ...OTHERS.map((productId) => ({ productId, title: productId, categories: [{ categoryId: productId }] })),
  );
  let orders = 0;
  const order = async (...product_ids: string[]) => {
    const n = orders++;
    const fields = { app_id: "shop", action_type: "order", sender_type: "server", order_id: `o${n}`, c_id: `v${n}` };
    expect((await aisle.trace({ ...fields, product_ids: product_ids.join("|") })).status).toBe(200);
    if (n % 50 === 49) aisle.now.at += 1000;
  };
  for (let n = 0; n < 80; n++) {
    const kind = kinds[n % 2]!;
    await order(`${kind}${n % 10}`, ...KINDS[kind].with, ...(n % 4 < 2 ? ["bestseller"] : []));
  }
  for (let n = 0; n < 60; n++) await order("bestseller", "lantern");
  const train = () => trainer.train("shop", () => undefined);
  await train();
  const recommended = async (current: string) =>
    ids((await aisle.recommend({ appId: "shop", productInteractions: [], currentProductIds: current })).recommended);
  return { ...aisle, put, made, order, train, recommended };
}

describe.each(stores)("the page of a product that came after the training: $name", ({ openStore }) => {
  it("recommends what completes products like it, and its own first orders before", async () => {
    const { put, made, recommended, order, refreshLive, train } = await openShop(openStore);
    await put(made("tent", "new"), made("stove", "new"));
    expect((await recommended("tentnew")).slice(0, 2).sort()).toEqual(["cord", "pegs"]);
    expect((await recommended("stovenew")).slice(0, 2).sort()).toEqual(["gas", "pot"]);
    await recommended("tentnew");
    await refreshLive();
    await order("tentnew", "lantern");
    await refreshLive();
    const shown = await recommended("tentnew");
    expect(shown[0]).toBe("lantern");
    expect(shown.slice(1, 3).sort()).toEqual(["cord", "pegs"]);
    await train();
    const trained = await recommended("tentnew");
    expect(trained[0]).toBe("lantern");
    expect(trained.slice(1, 3).sort()).toEqual(["cord", "pegs"]);
  });
});

describe("the page of a product that nobody ordered", () => {
  it("recommends what completes products like it after a training, too, and says so", async () => {
    const { rpc, put, made, recommended, train } = await openShop();
    await put(made("tent", "new"));
    await train();
    expect((await recommended("tentnew")).slice(0, 2).sort()).toEqual(["cord", "pegs"]);
    const request = { appId: "shop", currentProductIds: ["tentnew"] };
    const { recommendedReasons } = await rpc.recommendations.explainRecommendation({ request });
    const rule = recommendedReasons[0]?.sources.find(({ source }) => source === RecommendationSource.ASSOCIATION_RULES);
    expect(rule?.causeProductIds[0]).toMatch(/^tent\d$/);
  });

  it("shows the same as before on pages of products that were ordered", async () => {
    const { recommended } = await openShop();
    expect((await recommended("tent2")).slice(0, 2).sort()).toEqual(["cord", "pegs"]);
  });
});
