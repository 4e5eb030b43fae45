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
      { index: 3n, field: "display_end_time", reason: "is not accepted: a time after display_start_time" },
    ]);
    const shown = async () => {
      const { recommended, alternative } = await rpc.recommendations.recommend({ appId: "shop" });
      return [...recommended, ...alternative].map(({ productId }) => productId).sort();
    };
    const whyNot = async (productId: string) =>
      (await rpc.catalog.getProduct({ appId: "shop", productId })).product?.notShown;

    expect(await shown()).toEqual(["always", "until"]);
    expect([await whyNot("later"), await whyNot("until")]).toEqual(["not shown yet", ""]);
    now.at = start + HOUR_MS;
    expect(await shown()).toEqual(["always", "later"]);
    expect([await whyNot("later"), await whyNot("until")]).toEqual(["", "no longer shown, its time is over"]);
  });
});
