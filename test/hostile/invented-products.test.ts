import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../src/adapters/hnsw/vector-indexes.js";
import { trainModel } from "../../src/learning/training/train-model.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();

/** Visitors at home in different networks. */
const home = (n: number) => `198.51.${n}.7`;
const STRANGER = "203.0.113.66";

describe.each(stores)("products invented by strangers: $name", ({ openStore }) => {
  async function shop() {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const view = (fields: Record<string, string>, address: string, visitor = address) =>
      aisle.trace({ app_id: "shop", action_type: "product_view", fp_ccid: visitor, ...fields }, address);
    const upsert = (productId: string, sku = "") =>
      aisle.rpc.catalog.upsertProducts(
        (async function* () {
          yield { appId: "shop", products: [{ productId, sku, title: `Title ${productId}` }] };
        })(),
      );
    const agree = async (fields: Record<string, string>) => {
      for (const n of [1, 2, 3]) await view(fields, home(n));
    };
    return { ...aisle, view, upsert, agree };
  }

  it("fill neither the catalogue, nor the model, nor an answer", async () => {
    const { view, agree, recommend, rpc, store } = await shop();
    await agree({ product_ids: "real|other", product_titles: "Tent|Mug" });
    for (let n = 0; n < 12; n++) {
      const ids = Array.from({ length: 100 }, (_, i) => `invented-${n}-${i}`).join("|");
      await view({ product_ids: ids, product_titles: ids }, n % 2 === 0 ? STRANGER : home(n), `made up ${n}`);
    }
    const listed = await rpc.catalog.listProducts({ appId: "shop" });
    expect(listed.products.map(({ productId }) => productId)).toEqual(["other", "real"]);
    const { manifest } = await trainModel({
      ...store,
      appId: "shop",
      vectorIndexes: hnswIndexes(),
      onProgress: () => undefined,
    });
    expect(manifest.dataCounts.products).toBe(2);
    const answer = await recommend({ appId: "shop", productInteractions: [], fpccid: "made up 1" });
    expect(answer.recommended.map(({ productId }) => productId).sort()).toEqual(["other", "real"]);
    await expect(
      rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: "absent" } }),
    ).rejects.toThrow("no such product");
  });

  it("lengthen a visitor's history by at most a hundred an event", async () => {
    const { view, store } = await shop();
    const ids = Array.from({ length: 1000 }, (_, n) => `invented-${n}`).join("|");
    await view({ product_ids: ids }, STRANGER, "made up");
    const visitors = await store.visitors.find("shop", ["f:made up"]);
    const rows = await store.interactions.recent(
      "shop",
      visitors.flatMap(({ members }) => members),
      10,
    );
    expect(rows.map(({ productIds }) => productIds.length)).toEqual([100]);
  });

  it("are shown only when several networks sent them, and the shop sees how many", async () => {
    const { view, rpc, agree } = await shop();
    const get = async () =>
      (await rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: "p1" } })).product;
    for (let n = 0; n < 5; n++) await view({ product_ids: "p1", product_titles: "Evil" }, STRANGER, `made up ${n}`);
    expect(await get()).toMatchObject({
      title: "",
      learnedFromVisitors: 1,
      notShown: expect.stringContaining("1 of 3"),
    });
    await agree({ product_ids: "p1", product_titles: "Tent" });
    expect(await get()).toMatchObject({ title: "Tent", notShown: "" });
  });

  it("change no learned product, and cannot mark it sold out", async () => {
    const { view, agree, rpc } = await shop();
    await agree({ product_ids: "p1", product_titles: "Tent", product_urls: "https://a.example/1" });
    const evil = {
      product_ids: "p1",
      product_titles: "Evil",
      product_urls: "https://evil.example/",
      product_availability: "0",
    };
    for (let n = 0; n < 5; n++) await view(evil, STRANGER, `made up ${n}`);
    const { product } = await rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: "p1" } });
    expect(product).toMatchObject({ title: "Tent", url: "https://a.example/1", notShown: "" });
  });

  it("are not learned by a shop with a feed, and take no SKU from it", async () => {
    const { agree, upsert, rpc, trace, recommend } = await shop();
    await upsert("fed", "s1");
    await agree({ product_ids: "thief", product_skus: "s1", product_titles: "Evil" });
    await expect(
      rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: "thief" } }),
    ).rejects.toThrow("no such product");
    expect(
      (await rpc.catalog.getProduct({ appId: "shop", product: { case: "sku", value: "s1" } })).product?.productId,
    ).toBe("fed");
    await trace({ app_id: "shop", action_type: "order", order_id: "1", product_skus: "s1", fp_ccid: "buyer" });
    expect((await recommend({ appId: "shop", productInteractions: [], fpccid: "buyer" })).recommended).toEqual([]);
    const seen = await recommend({ appId: "shop", productInteractions: [], currentProductSkus: "s1" });
    expect(seen).toMatchObject({ trackerProduct: { productId: "fed" } });
  });

  it("cannot end an HTML attribute by their URL", async () => {
    const { agree, recommend } = await shop();
    await agree({ product_ids: "p1", product_titles: "Tent", product_urls: 'https://a.example/x"onerror="alert(1)' });
    const { recommended } = await recommend({ appId: "shop", productInteractions: [] });
    expect(recommended).toMatchObject([{ url: "https://a.example/x%22onerror=%22alert(1)" }]);
  });
});
