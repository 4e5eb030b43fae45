import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { type StoreKind, storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();

// The shop: tents go with pegs, stoves with gas. Whoever looks at one tent looks at the other, too.
const PRODUCTS = [
  ["tent-2", "Ridge tent for two", "A light tent of two layers for two people, with a porch for wet boots.", "tents"],
  ["tent-3", "Ridge tent for three", "A tent of two layers for three people, with a porch for wet boots.", "tents"],
  ["tent-t", "Tarp shelter", "A light shelter of one layer against rain and sun.", "tents"],
  ["pegs", "Steel tent pegs", "Ten strong pegs of steel for hard ground.", "parts"],
  ["line", "Guy line", "Twelve metres of bright line that does not stretch.", "parts"],
  ["stove", "Gas stove", "A small stove that screws onto a gas cartridge.", "kitchen"],
  ["gas", "Gas cartridge", "A cartridge of gas for every small stove.", "kitchen"],
  ["pot", "Cooking pot", "A pot of light metal with a lid for two people.", "kitchen"],
  ["lamp", "Camp lamp", "A warm lamp for the table or the tent.", "light"],
  ["torch", "Head torch", "A bright torch that leaves both hands free.", "light"],
] as const;

async function openShop(openStore: StoreKind["openStore"]) {
  const aisle = await openAisle(openStore);
  await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
  async function* feed() {
    yield {
      appId: "shop",
      products: PRODUCTS.map(([productId, title, description, categoryId]) => ({
        productId,
        title,
        description,
        categories: [{ categoryId }],
        price: { amount: "19.90", currency: "EUR" },
      })),
    };
  }
  await aisle.rpc.catalog.upsertProducts(feed());
  return aisle;
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Forty visitors who buy a tent with pegs, forty who buy a stove with gas. */
async function visits({ trace, now }: Shop) {
  for (let n = 0; n < 80; n++) {
    const [first, second, seen] = n % 2 === 0 ? ["tent-2", "pegs", "tent-3"] : ["stove", "gas", "pot"];
    const who = { app_id: "shop", c_id: `c${n}`, fp_ccid: `f${n}` };
    for (const product_ids of [seen, first])
      await trace({ ...who, action_type: "product_view", product_ids: product_ids ?? "" });
    await trace({ ...who, action_type: "order", order_id: `o${n}`, product_ids: `${first}|${second}` });
    now.at += 60_000;
  }
}

describe.each(stores)("events in, recommendations out: $name", ({ openStore }) => {
  const shop = () => openShop(openStore);

  it("an app without data answers empty lists and a version", async () => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "empty" } });
    expect(await aisle.recommend({ appId: "empty", productInteractions: [] })).toEqual({
      status: 200,
      version: "2026112112",
      trackerProduct: null,
      recommended: [],
      alternative: [],
    });
  });

  it("recommends products bought together, and similar products as alternatives", async () => {
    const aisle = await shop();
    await visits(aisle);
    await aisle.trainer.train("shop", () => undefined);
    const answer = await aisle.recommend({ appId: "shop", productInteractions: [], currentProductIds: "tent-2" });
    expect(answer.trackerProduct).toMatchObject({ productId: "tent-2", title: "Ridge tent for two", price: "19.90" });
    expect(answer.recommended.slice(0, 2).map((product) => product.productId)).toContain("pegs");
    expect(aisle.faults).toEqual([]);
  });

  it("completes the cart that the client carries", async () => {
    const aisle = await shop();
    await visits(aisle);
    await aisle.trainer.train("shop", () => undefined);
    const added = {
      productInteractionType: "add_to_cart",
      productId: "stove",
      productSku: "stove",
      utcInteractionDate: new Date(aisle.now.at - 60_000).toISOString(),
    };
    const answer = await aisle.recommend({ appId: "shop", productInteractions: [added] });
    expect(answer.recommended[0]?.productId).toBe("gas");
    expect([...answer.recommended, ...answer.alternative].map((product) => product.productId)).not.toContain("stove");
  });

  it("merges the server's history of a visitor with that of the request", async () => {
    const aisle = await shop();
    await visits(aisle);
    await aisle.trainer.train("shop", () => undefined);
    await aisle.trace({ app_id: "shop", action_type: "order", order_id: "mine", product_ids: "gas|pegs", c_id: "me" });
    const ask = { appId: "shop", productInteractions: [], currentProductIds: "tent-2" };
    const ids = async (body: object) => (await aisle.recommend(body)).recommended.map((product) => product.productId);
    expect(await ids(ask)).toContain("pegs");
    expect(await ids({ ...ask, cId: "me" })).not.toContain("pegs");
    expect(await ids({ ...ask, cId: "me", fpccid: "my-cookie" })).not.toContain("pegs");
    expect(await ids({ ...ask, fpccid: "my-cookie" })).not.toContain("pegs");
  });

  it("a new model has a new version, serves at once and can be rolled back", async () => {
    const aisle = await shop();
    await visits(aisle);
    const first = await aisle.trainer.train("shop", () => undefined);
    const ask = () => aisle.rpc.recommendations.recommend({ appId: "shop" });
    const before = await ask();
    expect(before.modelId).toBe(first.modelId);
    const second = await aisle.trainer.train("shop", () => undefined);
    const after = await ask();
    expect(after.modelId).toBe(second.modelId);
    expect(after.version).not.toBe(before.version);
    await aisle.rpc.models.activateModel({ appId: "shop", modelId: first.modelId });
    const back = await ask();
    expect(back.modelId).toBe(first.modelId);
    expect([before.version, after.version]).not.toContain(back.version);
  });

  it("the same data gives the same bytes", async () => {
    const bytes = async () => {
      const aisle = await shop();
      await visits(aisle);
      const { modelId } = await aisle.trainer.train("shop", () => undefined);
      return aisle.store.models.read("shop", modelId);
    };
    expect(await bytes()).toEqual(await bytes());
  });

  it("the next call sees everything that a 200 accepted", async () => {
    const aisle = await shop();
    const who = { app_id: "shop", fp_ccid: "f1" };
    expect((await aisle.trace({ ...who, action_type: "subscribe", email: "ann@example.com" })).status).toBe(200);
    expect(await aisle.status("shop", "f1")).toMatchObject({ identified: true, status: true });
    async function* hidden() {
      yield { appId: "shop", products: [{ productId: "tent-2", title: "Ridge tent for two", hidden: true }] };
    }
    await aisle.rpc.catalog.upsertProducts(hidden());
    const answer = await aisle.recommend({ appId: "shop", productInteractions: [] });
    expect(answer.recommended.map((product) => product.productId)).not.toContain("tent-2");
  });

  it("explains each product by its sources, the products that led to it and the counts", async () => {
    const aisle = await shop();
    await visits(aisle);
    await aisle.trainer.train("shop", () => undefined);
    const { response, recommendedReasons } = await aisle.rpc.recommendations.explainRecommendation({
      request: { appId: "shop", currentProductIds: ["tent-2"] },
    });
    expect(recommendedReasons.map((reason) => reason.productId)).toEqual(
      response?.recommended.map((product) => product.productId),
    );
    const pegs = recommendedReasons.find((reason) => reason.productId === "pegs");
    expect(pegs?.sources.some((source) => source.causeProductIds.includes("tent-2"))).toBe(true);
    expect(pegs?.sources.some((source) => (source.counts?.pairCount ?? 0) >= 40)).toBe(true);
  });
});
