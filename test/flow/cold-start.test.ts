import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { type StoreKind, storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();

const KINDS = ["tent", "stove", "lamp"] as const;
/** Thirty products: ten of each kind, whose titles have nothing in common but the kind. */
const PRODUCTS = KINDS.flatMap((kind) =>
  Array.from({ length: 10 }, (_, n) => ({
    productId: `${kind}${n}`,
    title: `${kind} ${String.fromCharCode(97 + n).repeat(4)}`,
    categories: [{ categoryId: "camp" }, { categoryId: `${kind}s` }],
  })),
);

/** Ten orders: stove 0 in eight of them, tent 1 in five, tent 2 in three. Nobody met a lamp. */
const TEN = Array.from({ length: 10 }, (_, n) => [
  n < 8 ? "stove0" : "stove9",
  ...(n < 5 ? ["tent1"] : []),
  ...(n >= 5 && n < 8 ? ["tent2"] : []),
]);

async function openShop(openStore: StoreKind["openStore"], orders: readonly (readonly string[])[]) {
  const aisle = await openAisle(openStore);
  const appId = "shop";
  await aisle.rpc.apps.createApp({ app: { appId } });
  const feed = async function* () {
    yield { appId, products: PRODUCTS };
  };
  await aisle.rpc.catalog.upsertProducts(feed());
  for (const [n, ids] of orders.entries()) {
    const who = { order_id: `o${n}`, c_id: `c${n}`, product_ids: ids.join("|") };
    const { status } = await aisle.trace({ app_id: appId, action_type: "order", ...who });
    expect(status).toBe(200);
  }
  await aisle.trainer.train(appId, () => undefined);
  const ids = (products: readonly { readonly productId: string }[]) => products.map(({ productId }) => productId);
  return {
    ...aisle,
    async lists(page: object = {}) {
      const answer = await aisle.recommend({ appId, productInteractions: [], ...page });
      expect(answer.status).toBe(200);
      return { recommended: ids(answer.recommended), alternative: ids(answer.alternative), version: answer.version };
    },
  };
}

const kindOf = (productId: string) => productId.replace(/\d+$/, "");

describe.each(stores)("a shop with little data: $name", ({ openStore }) => {
  it("gets empty lists in the documented shape without products", async () => {
    const { rpc, recommend } = await openAisle(openStore);
    await rpc.apps.createApp({ app: { appId: "empty" } });
    const body = { appId: "empty", productInteractions: [], currentCategoryIds: "tents", filterByGroups: "tents" };
    const lists = { recommended: [], alternative: [] };
    const version = expect.stringMatching(/^\d{10,14}$/);
    expect(await recommend(body)).toEqual({ status: 200, version, trackerProduct: null, ...lists });
    const trackerProduct = { productId: "tent1", title: "", imageUrl: "", url: "", price: "", categoryId: "" };
    expect(await recommend({ ...body, currentProductIds: "tent1" })).toEqual({
      status: 200,
      version,
      trackerProduct,
      ...lists,
    });
  });

  it("gets full lists of its catalogue, which share no product, without orders", async () => {
    const { lists } = await openShop(openStore, []);
    const { recommended, alternative } = await lists();
    expect(new Set([...recommended, ...alternative]).size).toBe(20);
  });

  it("shows first what was bought, after one order", async () => {
    const { lists } = await openShop(openStore, [["lamp3", "tent4"]]);
    const { recommended, alternative } = await lists();
    expect(recommended.slice(0, 2).sort()).toEqual(["lamp3", "tent4"]);
    expect([recommended.length, alternative.length]).toEqual([10, 10]);
  });

  describe("before its first model", () => {
    async function untrained(orders: readonly (readonly string[])[]) {
      const aisle = await openAisle(openStore);
      const appId = "shop";
      await aisle.rpc.apps.createApp({ app: { appId } });
      const feed = async function* () {
        yield { appId, products: PRODUCTS };
      };
      await aisle.rpc.catalog.upsertProducts(feed());
      const buy = (n: number, ids: readonly string[]) =>
        aisle.trace({
          app_id: appId,
          action_type: "order",
          order_id: `o${n}`,
          c_id: `c${n}`,
          product_ids: ids.join("|"),
        });
      for (const [n, ids] of orders.entries()) await buy(n, ids);
      const lists = async (page: object = {}) => {
        const answer = await aisle.recommend({ appId, productInteractions: [], ...page });
        return answer.recommended.map(({ productId }) => productId);
      };
      return { ...aisle, lists, buy };
    }

    it("shows first what was ordered most, without a training", async () => {
      const { lists, rpc } = await untrained(TEN);
      // On a busy machine the first answer does not wait for the count.
      await expect.poll(async () => (await lists()).slice(0, 4)).toEqual(["stove0", "tent1", "tent2", "stove9"]);
      expect((await lists({ currentCategoryIds: "tents" })).slice(0, 2)).toEqual(["tent1", "tent2"]);
      expect((await lists({ filterByGroups: "tents" })).slice(0, 2)).toEqual(["tent1", "tent2"]);
      expect((await rpc.models.listModels({ appId: "shop" })).models).toEqual([]);
      const why = await rpc.recommendations.explainRecommendation({ request: { appId: "shop" } });
      expect(why.recommendedReasons[0]).toMatchObject({ productId: "stove0", sources: [{ score: 40, rank: 1 }] });
    });

    it("counts what was ordered since the last answer within seconds", async () => {
      const { lists, buy, now } = await untrained(TEN);
      await lists();
      for (let n = 10; n < 20; n++) await buy(n, ["lamp3"]);
      now.at += 10_000;
      await lists();
      await expect.poll(async () => (await lists())[0]).toBe("lamp3");
    });

    it("does not count a cancelled order, and an order that came twice once", async () => {
      const { lists, buy, trace } = await untrained([["tent3"], ["lamp3"], ["lamp3"]]);
      for (const n of [0, 0, 0]) await buy(n, ["tent3"]);
      await trace({ app_id: "shop", action_type: "order_cancel", order_id: "o1", c_id: "c1" });
      await trace({ app_id: "shop", action_type: "order_cancel", order_id: "o2", c_id: "c2" });
      await expect.poll(async () => (await lists())[0]).toBe("tent3");
      expect((await lists())[1]).not.toBe("lamp3");
    });
  });

  describe("after ten orders", () => {
    it("shows popular products first, and fills both lists", async () => {
      const { lists } = await openShop(openStore, TEN);
      const { recommended, alternative } = await lists();
      expect(recommended.slice(0, 4)).toEqual(["stove0", "tent1", "tent2", "stove9"]);
      expect(new Set([...recommended, ...alternative]).size).toBe(20);
    });

    it("shows products popular in the current category before others", async () => {
      const { lists } = await openShop(openStore, TEN);
      const { recommended, alternative } = await lists({ currentCategoryIds: "tents" });
      expect(recommended.slice(0, 2)).toEqual(["tent1", "tent2"]);
      expect(new Set(recommended.map(kindOf))).toEqual(new Set(["tent"]));
      expect(alternative[0]).toBe("stove0");
    });

    it("shows nothing outside the groups asked for", async () => {
      const { lists } = await openShop(openStore, TEN);
      const { recommended, alternative } = await lists({ filterByGroups: "stoves" });
      expect(recommended.slice(0, 2)).toEqual(["stove0", "stove9"]);
      expect(new Set([...recommended, ...alternative].map(kindOf))).toEqual(new Set(["stove"]));
      const page = await lists({ filterByGroups: "stoves", currentProductIds: "tent1" });
      expect(new Set([...page.recommended, ...page.alternative].map(kindOf))).toEqual(new Set(["stove"]));
      expect(await lists({ filterByGroups: "boats" })).toMatchObject({ recommended: [], alternative: [] });
    });

    it("fills the page of an unseen product with popular ones, and similar ones as alternatives", async () => {
      const { lists } = await openShop(openStore, TEN);
      const { recommended, alternative } = await lists({ currentProductIds: "lamp5" });
      expect(recommended.slice(0, 4)).toEqual(["stove0", "tent1", "tent2", "stove9"]);
      expect(alternative.slice(0, 9).map(kindOf)).toEqual(Array(9).fill("lamp"));
      expect(alternative).toHaveLength(10);
    });

    it("fills the page of a product newer than the model by its category alone", async () => {
      const { lists, rpc } = await openShop(openStore, TEN);
      const feed = async function* () {
        const categories = [{ categoryId: "camp" }, { categoryId: "tents" }];
        yield { appId: "shop", products: [{ productId: "new", title: "Zzyzx", categories }] };
      };
      await rpc.catalog.upsertProducts(feed());
      const { alternative } = await lists({ currentProductIds: "new" });
      expect(alternative.slice(0, 8).map(kindOf)).toEqual(Array(8).fill("tent"));
    });

    it("shows products newer than the model behind known ones", async () => {
      const { lists, rpc } = await openShop(openStore, TEN);
      const feed = async function* () {
        yield {
          appId: "shop",
          products: [{ productId: "new", title: "Zzyzx", categories: [{ categoryId: "boats" }] }],
        };
      };
      await rpc.catalog.upsertProducts(feed());
      const bought = PRODUCTS.filter(({ productId }) => kindOf(productId) !== "lamp").map(({ productId }) => ({
        productInteractionType: "order",
        productId,
        productSku: productId,
        utcInteractionDate: "2026-11-20T10:00:00.000Z",
      }));
      const { recommended, alternative } = await lists({ productInteractions: bought });
      expect([...recommended, ...alternative].map(kindOf).filter((kind) => kind !== "lamp")).toEqual(["new"]);
      expect((await lists({ currentCategoryIds: "boats" })).recommended[0]).toBe("new");
    });

    it("keeps the first products of a frame that was used, the same way each time, and all with another version", async () => {
      const { lists, now, rpc } = await openShop(openStore, TEN);
      const frameConfiguration = { frameId: "default", recommendedCount: 10 };
      await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration });
      const used = (times: number, version?: string) =>
        lists({
          cId: "visitor",
          recommendFrameInteractions: Array(times).fill({
            trackerProductGroupId: "default",
            utcInteractionDate: new Date(now() - 1000).toISOString(),
          }),
          version: version ?? null,
        });
      const first = await used(0);
      now.at += 60_000;
      const once = await used(1);
      expect(once.recommended.slice(0, 5)).toEqual(first.recommended.slice(0, 5));
      expect(once.recommended.filter((id) => first.recommended.includes(id))).toHaveLength(8);
      expect(await used(3)).toEqual(once);
      expect(await used(1, first.version)).toEqual(once);
      expect(await used(1, "2020010100")).toEqual(first);
    });

    it("gives every product of both lists a reason", async () => {
      const { rpc } = await openShop(openStore, TEN);
      for (const page of [
        {},
        { currentProductIds: ["lamp5"] },
        { currentProductIds: ["tent1"], currentCategoryIds: ["stoves"] },
      ]) {
        const request = { appId: "shop", ...page };
        const { response, ...why } = await rpc.recommendations.explainRecommendation({ request });
        expect(response?.recommended.length).toBe(10);
        expect(why.recommendedReasons.map(({ productId }) => productId)).toEqual(
          response?.recommended.map(({ productId }) => productId),
        );
        expect(why.alternativeReasons.map(({ productId }) => productId)).toEqual(
          response?.alternative.map(({ productId }) => productId),
        );
        for (const { sources } of [...why.recommendedReasons, ...why.alternativeReasons])
          expect(sources.length).toBeGreaterThan(0);
      }
    });
  });
});
