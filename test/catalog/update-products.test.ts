import { describe, expect, it } from "vitest";
import { ProductUpdateOutcome } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { Availability, ProductOrigin } from "../../src/gen/aisle/v1/product_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const appId = "shop";
const TENT = {
  productId: "tent",
  title: "Ridge tent",
  description: "For two",
  brand: "North",
  price: { amount: "199.00", currency: "EUR" },
  url: "https://shop.example/tent",
  tags: ["new"],
  attributes: { colour: "green", size: "2" },
};

describe.each(stores)("updates of products: $name", ({ openStore }) => {
  const open = async () => {
    const aisle = await openAisle(openStore);
    const { apps, catalog } = aisle.rpc;
    await apps.createApp({ app: { appId } });
    async function* products() {
      yield { appId, products: [TENT, { productId: "pegs", title: "Steel pegs" }] };
    }
    await catalog.upsertProducts(products());
    const get = async (productId: string) =>
      (await catalog.getProduct({ appId, product: { case: "productId", value: productId } })).product;
    return { ...aisle, catalog, get };
  };

  it("UpdateProduct without a mask changes the fields that are set, and keeps the rest", async () => {
    const { catalog, get } = await open();
    const product = { productId: "tent", availability: Availability.OUT_OF_STOCK };
    const answer = await catalog.updateProduct({ appId, product });
    expect(answer.product).toMatchObject({ ...TENT, availability: Availability.OUT_OF_STOCK });
    expect(await get("tent")).toMatchObject({ ...TENT, availability: Availability.OUT_OF_STOCK });
  });

  it("UpdateProduct with a mask changes what it names, also to nothing, and single attributes", async () => {
    const { catalog, get } = await open();
    const product = { productId: "tent", brand: "South", title: "Other", attributes: { colour: "red", size: "9" } };
    const paths = ["brand", "tags", "attributes.colour", "attributes.`weight`"];
    await catalog.updateProduct({ appId, product, updateMask: { paths } });
    const expected = { ...TENT, brand: "South", tags: [], attributes: { colour: "red", size: "2" } };
    expect(await get("tent")).toMatchObject(expected);
    await catalog.updateProduct({
      appId,
      product: { productId: "tent" },
      updateMask: { paths: ["attributes.colour"] },
    });
    expect((await get("tent"))?.attributes).toEqual({ size: "2" });
  });

  it("UpdateProduct with * replaces every field", async () => {
    const { catalog, get } = await open();
    const product = { productId: "tent", title: "Only this" };
    await catalog.updateProduct({ appId, product, updateMask: { paths: ["*"] } });
    expect(await get("tent")).toMatchObject({ title: "Only this", brand: "", attributes: {}, tags: [], url: "" });
  });

  it("UpdateProduct refuses unknown products, unknown paths and bad values, and changes nothing", async () => {
    const { catalog, get } = await open();
    const update = (product: object, ...paths: string[]) =>
      catalog.updateProduct({ appId, product: { productId: "tent", ...product }, updateMask: { paths } });
    await expect(update({ productId: "none" }, "brand")).rejects.toThrow(/not_found/);
    await expect(update({}, "update_time")).rejects.toThrow(/invalid_argument.*update_mask.*update_time/);
    await expect(update({}, "product_id")).rejects.toThrow(/invalid_argument.*update_mask.*product_id/);
    await expect(update({ url: "ftp://shop.example" }, "url")).rejects.toThrow(/invalid_argument.*url/);
    await expect(catalog.updateProduct({ appId })).rejects.toThrow(/invalid_argument.*product/);
    expect(await get("tent")).toMatchObject(TENT);
  });

  it("UpdateProducts has one result for each update, in their order", async () => {
    const { catalog, get } = await open();
    const { results } = await catalog.updateProducts({
      appId,
      updates: [
        { product: { productId: "none", brand: "B" } },
        { product: { productId: "pegs", brand: "B" } },
        { product: { productId: "tent", price: { amount: "cheap", currency: "EUR" } } },
        { product: { productId: "tent", brand: "B" }, updateMask: { paths: ["nothing"] } },
        { product: { productId: "made", title: "Made", brand: "B" }, allowMissing: true },
        { product: { productId: "made", brand: "C" } },
        {},
      ],
    });
    const { CREATED, INVALID, NOT_FOUND, UPDATED } = ProductUpdateOutcome;
    expect(results.map(({ productId, outcome, field }) => [productId, outcome, field])).toEqual([
      ["none", NOT_FOUND, "product.product_id"],
      ["pegs", UPDATED, ""],
      ["tent", INVALID, "price.amount"],
      ["tent", INVALID, "update_mask"],
      ["made", CREATED, ""],
      ["made", UPDATED, ""],
      ["", INVALID, "product"],
    ]);
    expect(results[2]?.reason).toContain("decimal");
    expect([(await get("pegs"))?.brand, (await get("made"))?.brand, (await get("tent"))?.brand]).toEqual([
      "B",
      "C",
      "North",
    ]);
    await expect(get("none")).rejects.toThrow(/not_found/);
  });

  it("UpdateProducts takes at most 1,000 updates, and several transactions of them", async () => {
    const { catalog } = await open();
    const updates = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ product: { productId: `p${n}`, title: "P" }, allowMissing: true }));
    await expect(catalog.updateProducts({ appId, updates: updates(1001) })).rejects.toThrow(
      /invalid_argument.*updates/,
    );
    await expect(catalog.updateProducts({ appId })).rejects.toThrow(/invalid_argument.*updates/);
    const { results } = await catalog.updateProducts({ appId, updates: updates(120) });
    expect(results.map(({ productId }) => productId)).toEqual(updates(120).map(({ product }) => product.productId));
    expect(results.every(({ outcome }) => outcome === ProductUpdateOutcome.CREATED)).toBe(true);
  });

  it("an update shows a product that a full feed hid only when it comes from a feed, and one that a caller hid never", async () => {
    const { catalog, get, now } = await open();
    async function* feed() {
      yield { appId, products: [{ productId: "lamp", title: "Lamp" }], last: true, force: true };
    }
    await catalog.updateProduct({ appId, product: { productId: "pegs", hidden: true } });
    now.at += 60_000;
    await catalog.replaceCatalog(feed());
    expect((await get("tent"))?.hidden).toBe(true);
    const updates = ["tent", "pegs"].map((productId) => ({ product: { productId, brand: "B" } }));
    await catalog.updateProducts({ appId, updates });
    expect([(await get("tent"))?.hidden, (await get("pegs"))?.hidden]).toEqual([true, true]);
    await catalog.updateProducts({ appId, updates, fromFeed: true });
    expect([(await get("tent"))?.hidden, (await get("pegs"))?.hidden]).toEqual([false, true]);
    await catalog.updateProduct({ appId, product: { productId: "pegs" }, updateMask: { paths: ["hidden"] } });
    expect((await get("pegs"))?.hidden).toBe(false);
  });

  it("an update makes a learned product one of the catalogue", async () => {
    const { catalog, rpc } = await open();
    const event = {
      actionType: "product_view",
      visitor: { clientId: "c" },
      products: [{ productId: "seen", title: "S" }],
    };
    await rpc.apps.createApp({ app: { appId: "young", learnedAfterVisitors: 0 } });
    await rpc.events.recordEvent({ appId: "young", event });
    const { product } = await catalog.updateProduct({ appId: "young", product: { productId: "seen", brand: "B" } });
    expect(product).toMatchObject({ title: "S", brand: "B", origin: ProductOrigin.CATALOG });
  });
});
