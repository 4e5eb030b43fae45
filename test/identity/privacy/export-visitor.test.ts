import { describe, expect, it } from "vitest";
import { openAisle } from "../../fixtures/aisle.js";
import { storeKinds } from "../../fixtures/stores.js";
import { type Aisle, erase, MAJA, OMAR, visitShop } from "./person.js";

const stores = await storeKinds();

async function exported({ rpc }: Aisle, appId: string, person: object) {
  const items = [];
  for await (const { item } of rpc.privacy.exportVisitor({ appId, person })) items.push(item);
  return items;
}

describe.each(stores)("ExportVisitor: $name", ({ openStore }) => {
  const openShop = async () => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    await visitShop(aisle, "shop", ["maja", "omar"]);
    return aisle;
  };

  it("lists everything that an erasure removes, and nothing of other people", async () => {
    const aisle = await openShop();
    const items = await exported(aisle, "shop", { email: MAJA.email });
    const kinds = new Map<string, number>();
    for (const { case: kind = "" } of items) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    expect(Object.fromEntries(kinds)).toEqual({
      contact: 1,
      subscriptionChange: 1,
      visitor: 1,
      order: 1,
      event: 9,
      rejectedEvent: 1,
    });
    const text = JSON.stringify(items, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    expect(text).toContain("Mustermaja");
    for (const name of Object.values(OMAR)) expect(text).not.toContain(name);
    await erase(aisle, "shop", { email: MAJA.email });
    expect(await exported(aisle, "shop", { email: MAJA.email, visitor: { clientId: MAJA.c_id } })).toEqual([]);
  });

  it("does not export a contact that a stranger linked to their own id", async () => {
    const aisle = await openShop();
    await aisle.trace({ app_id: "shop", action_type: "other", c_id: "stranger", email: MAJA.email });
    const items = await exported(aisle, "shop", { visitor: { clientId: "stranger" } });
    expect(items.map(({ case: kind }) => kind)).toEqual(["visitor", "event"]);
    const proven = await exported(aisle, "shop", { visitor: { clientId: "stranger" }, includeLinkedContact: true });
    expect(proven.some(({ case: kind }) => kind === "contact")).toBe(true);
  });

  it("lists products that a frame explored for the visitor with their probabilities, and clicks; an erasure removes both", async () => {
    const aisle = await openShop();
    const { rpc, facade, writeFrameCounts } = aisle;
    await rpc.apps.setFrameConfiguration({
      appId: "shop",
      frameConfiguration: { frameId: "home", recommendedCount: 10, exploration: 0.2 },
    });
    const productIds = Array.from({ length: 40 }, (_, n) => `new-${n}`);
    const feed = async function* () {
      yield { appId: "shop", products: productIds.map((productId) => ({ productId, title: productId })) };
    };
    await rpc.catalog.upsertProducts(feed());
    const clientId = "explored-for";
    const ids = { cId: clientId, productInteractions: [], marketingMachineFrameConfigurationId: "home" };
    const answer = await facade.inject({
      method: "POST",
      url: "/recommend",
      payload: { appId: "shop", trackClicks: true, ...ids },
    });
    const { recommendationId = "", recommended } = answer.json<{
      recommendationId?: string;
      recommended: { productId: string }[];
    }>();
    const clicked = recommended[0]?.productId ?? "";
    await writeFrameCounts();
    const click = { action_type: "product_view", product_ids: clicked, recommendation_id: recommendationId };
    await aisle.trace({ app_id: "shop", c_id: clientId, ...click });
    await writeFrameCounts();

    const items = await exported(aisle, "shop", { visitor: { clientId } });
    const exposures = items.flatMap((item) => (item.case === "frameExposure" ? [item.value] : []));
    const [exposure] = exposures;
    expect(exposure?.explored).toHaveLength(2);
    for (const { productId, probability } of exposure?.explored ?? []) {
      expect(recommended.map((product) => product.productId)).toContain(productId);
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThan(1);
    }
    expect(exposure?.clicks).toMatchObject([{ recommendationId, productId: clicked }]);
    expect(exposure?.lastClickTime).toEqual(exposure?.clickTime);

    expect((await erase(aisle, "shop", { visitor: { clientId } })).removed).toMatchObject({ frameExposures: 1 });
    expect(await exported(aisle, "shop", { visitor: { clientId } })).toEqual([]);
  });

  it("shows an app nothing of another app", async () => {
    const aisle = await openShop();
    await aisle.rpc.apps.createApp({ app: { appId: "other" } });
    expect(await exported(aisle, "other", { email: MAJA.email })).toEqual([]);
  });
});
