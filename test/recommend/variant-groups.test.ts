import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();

const PANS = ["A", "B", "C"].map((size) => ({
  productId: `PAN-02-${size}`,
  title: `Pan ${size}`,
  variantGroupId: "PAN-02",
}));
const OTHERS = Array.from({ length: 12 }, (_, i) => ({ productId: `p${i}`, title: `Product ${i}` }));

/** A shop whose pages and orders name a group, of which the feed has three variants. */
async function openShop(openStore?: Parameters<typeof openAisle>[0]) {
  const aisle = await openAisle(openStore);
  const { rpc } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const put = async (products: readonly object[]) => {
    const feed = async function* () {
      yield { appId: "shop", products: [...products] };
    };
    await rpc.catalog.upsertProducts(feed());
  };
  await put([...PANS, ...OTHERS]);
  const order = (n: number, ...ids: string[]) =>
    aisle.trace({
      app_id: "shop",
      action_type: "order",
      sender_type: "server",
      c_id: `v${n}`,
      order_id: `o${n}`,
      product_ids: ids.join("|"),
    });
  for (let n = 0; n < 60; n++)
    expect((await order(n, ...(n % 3 === 0 ? ["PAN-02", "p7"] : [`p${n % 12}`]))).status).toBe(200);
  await aisle.trainer.train("shop", () => undefined);
  const show = async (body: object) => {
    const answer = await aisle.recommend({ appId: "shop", productInteractions: [], ...body });
    expect(answer.status).toBe(200);
    const ids = (list: readonly { readonly productId: string }[]) => list.map(({ productId }) => productId);
    return { ...answer, recommended: ids(answer.recommended), alternative: ids(answer.alternative) };
  };
  return { ...aisle, put, order, show };
}

describe.each(stores)("a shop whose pages name groups of variants: $name", ({ openStore }) => {
  it("has what was ordered with the group on the page of the group, and no variant of it", async () => {
    const { show } = await openShop(openStore);
    const { recommended, alternative, trackerProduct } = await show({ currentProductIds: "PAN-02" });
    expect(recommended[0]).toBe("p7");
    expect([...recommended, ...alternative].filter((id) => id.startsWith("PAN"))).toEqual([]);
    expect(trackerProduct).toMatchObject({ productId: "PAN-02-A", title: "Pan A" });
  });

  it("has one variant of the group where others are viewed, one that is in stock", async () => {
    const { show, put } = await openShop(openStore);
    expect((await show({ currentProductIds: "p7" })).recommended[0]).toBe("PAN-02-A");
    await put([{ ...PANS[0], availability: 2 }]);
    expect((await show({ currentProductIds: "p7" })).recommended[0]).toBe("PAN-02-B");
    expect((await show({ currentProductIds: "PAN-02" })).trackerProduct).toMatchObject({ productId: "PAN-02-B" });
  });
});

describe("a shop whose pages name groups of variants", () => {
  it("counts carts, orders and interactions with the group for its variants", async () => {
    const { show, trace, order } = await openShop();
    const isShown = async (body: object) =>
      [...(await show(body)).recommended, ...(await show(body)).alternative].some((id) => id.startsWith("PAN"));
    expect(await isShown({ cId: "new" })).toBe(true);
    await trace({ app_id: "shop", action_type: "add_to_cart", c_id: "new", product_ids: "PAN-02" });
    expect(await isShown({ cId: "new" })).toBe(false);
    expect((await show({ cId: "new" })).recommended[0]).toBe("p7");
    await order(99, "PAN-02");
    expect(await isShown({ cId: "v99" })).toBe(false);
    const bought = {
      productInteractionType: "order",
      productId: "PAN-02",
      productSku: "PAN-02",
      utcInteractionDate: "2026-11-20T10:00:00.000Z",
    };
    expect(await isShown({ cId: "other", productInteractions: [bought] })).toBe(false);
  });

  it("can ban, exclude and pin a group by its id", async () => {
    const { rpc, show } = await openShop();
    const set = (frame: object) =>
      rpc.apps.setFrameConfiguration({
        appId: "shop",
        frameConfiguration: { frameId: "home", recommendedCount: 10, ...frame },
      });
    const home = async () => (await show({ marketingMachineFrameConfigurationId: "home" })).recommended;
    await set({ pinnedProductIds: ["PAN-02"] });
    expect((await home())[0]).toBe("PAN-02-A");
    await set({ bannedProductIds: ["PAN-02"] });
    expect((await home()).filter((id) => id.startsWith("PAN"))).toEqual([]);
    const filter = { excludedProductIds: ["PAN-02"] };
    const answer = await rpc.recommendations.recommend({ appId: "shop", filter });
    expect([...answer.recommended, ...answer.alternative].some(({ productId }) => productId.startsWith("PAN"))).toBe(
      false,
    );
    expect(answer.missingIds).toEqual([]);
  });

  it("counts the view of a group for a frame that showed a variant of it", async () => {
    const { rpc, trace, writeFrameCounts } = await openShop();
    const variants = [{ name: "plain", weight: 1 }];
    await rpc.apps.setFrameConfiguration({
      appId: "shop",
      frameConfiguration: { frameId: "home", recommendedCount: 10, variants },
    });
    await rpc.recommendations.recommend({ appId: "shop", frameId: "home", visitor: { clientId: "c1" } });
    await writeFrameCounts();
    await trace({ app_id: "shop", action_type: "product_view", c_id: "c1", product_ids: "PAN-02" });
    await writeFrameCounts();
    const report = await rpc.apps.getFrameReport({ appId: "shop", frameId: "home" });
    expect(report.frames[0]?.total).toMatchObject({ clickedVisitorCount: 1 });
  });
});
