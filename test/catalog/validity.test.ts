import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const HOUR_MS = 3_600_000;

describe.each(stores)("a product with a time of its own: $name", ({ openStore }) => {
  it("is shown within its time alone", async () => {
    const { rpc, now } = await openAisle(openStore);
    const start = now();
    const at = (hours: number) => timestampFromMs(start + hours * HOUR_MS);
    await rpc.apps.createApp({ app: { appId: "shop" } });
    async function* products() {
      yield {
        appId: "shop",
        products: [
          { productId: "always", title: "Tent" },
          { productId: "later", title: "Stove", displayStartTime: at(1) },
          { productId: "until", title: "Lamp", displayEndTime: at(1) },
          { productId: "wrong", title: "Map", displayStartTime: at(2), displayEndTime: at(1) },
        ],
      };
    }
    const { refused } = await rpc.catalog.upsertProducts(products());
    expect(refused).toMatchObject([
      { index: 3, field: "display_end_time", reason: "is not accepted: a time after display_start_time" },
    ]);
    const shown = async () => {
      const { recommended, alternative } = await rpc.recommendations.recommend({ appId: "shop" });
      return [...recommended, ...alternative].map(({ productId }) => productId).sort();
    };
    const whyNot = async (productId: string) =>
      (await rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: productId } })).product
        ?.notShown;

    expect(await shown()).toEqual(["always", "until"]);
    expect([await whyNot("later"), await whyNot("until")]).toEqual(["not shown yet", ""]);
    now.at = start + HOUR_MS;
    expect(await shown()).toEqual(["always", "later"]);
    expect([await whyNot("later"), await whyNot("until")]).toEqual(["", "no longer shown, its time is over"]);
  });

  it("has the price of its sale while that lasts, in answers and price filters", async () => {
    const { rpc, now } = await openAisle(openStore);
    const start = now();
    const at = (hours: number) => timestampFromMs(start + hours * HOUR_MS);
    const eur = (amount: string) => ({ amount, currency: "EUR" });
    await rpc.apps.createApp({ app: { appId: "shop" } });
    async function* products() {
      yield {
        appId: "shop",
        products: [
          {
            productId: "tent",
            title: "Tent",
            price: eur("100"),
            salePrice: eur("60"),
            saleStartTime: at(1),
            saleEndTime: at(2),
          },
          { productId: "stove", title: "Stove", price: eur("50"), salePrice: eur("40"), saleEndTime: at(1) },
          { productId: "wrong", title: "Map", salePrice: eur("1"), saleStartTime: at(2), saleEndTime: at(1) },
        ],
      };
    }
    const { refused } = await rpc.catalog.upsertProducts(products());
    expect(refused).toMatchObject([{ field: "sale_end_time" }]);
    const shown = async (max = "") => {
      const filter = max === "" ? {} : { price: { max, currency: "EUR" } };
      const { recommended } = await rpc.recommendations.recommend({ appId: "shop", filter });
      return recommended.map(({ productId, price }) => `${productId} ${price?.amount}`).sort();
    };
    expect(await shown()).toEqual(["stove 40", "tent 100"]);
    expect(await shown("70")).toEqual(["stove 40"]);
    now.at = start + HOUR_MS;
    expect(await shown()).toEqual(["stove 50", "tent 60"]);
    expect(await shown("70")).toEqual(["stove 50", "tent 60"]);
    now.at = start + 2 * HOUR_MS;
    expect(await shown()).toEqual(["stove 50", "tent 100"]);
    expect(await shown("70")).toEqual(["stove 50"]);
    const { product } = await rpc.catalog.getProduct({
      appId: "shop",
      product: { case: "productId", value: "tent" },
    });
    expect([product?.price?.amount, product?.salePrice?.amount]).toEqual(["100", "60"]);
  });
});
