import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { beforeEach, describe, expect, it } from "vitest";
import { PageKind } from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import { ReadyListKind } from "../../src/gen/aisle/v1/ready_list_pb.js";
import { RecommendationSource } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { openAisle } from "../fixtures/aisle.js";

describe("a frame in UpdateFrame", () => {
  let set: (frame: object) => Promise<unknown>;
  let get: () => Promise<unknown>;
  let remove: (productId: string) => Promise<unknown>;

  beforeEach(async () => {
    const { rpc } = await openAisle();
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const products = ["p1", "p2", "p3", "p4"].map((productId) => ({ productId, variantGroupId: "pans" }));
    await rpc.catalog.upsertProducts(only({ appId: "shop", products }));
    remove = (productId) => rpc.catalog.deleteProduct({ appId: "shop", productId });
    set = (frame) => rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { frameId: "f", ...frame } });
    get = async () => (await rpc.apps.getFrameConfiguration({ appId: "shop", frameId: "f" })).frameConfiguration;
  });

  const { BESTSELLERS, TRENDING, BUY_AGAIN } = ReadyListKind;
  const DAY = 86_400_000;
  const { CART, SEMANTIC } = RecommendationSource;
  const many = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

  it.each([
    ["frame_id", { frameId: "a b" }],
    ["recommended_count", { recommendedCount: 101 }],
    ["alternative_count", { alternativeCount: 101 }],
    ["title", { title: "a\nb" }],
    ["page_kind", { pageKind: 9 }],
    ["rebuy_delay, 0 to 3650 whole days", { rebuyDelay: durationFromMs(3651 * DAY) }],
    ["rebuy_delay, 0 to 3650 whole days", { rebuyDelay: durationFromMs(1.5 * DAY) }],
    ["sources[1].source", { sources: [{ source: CART, weight: 1 }, { weight: 1 }] }],
    ["sources[0].source", { sources: [{ source: 99, weight: 1 }] }],
    [
      "sources[1].source, each source once",
      {
        sources: [
          { source: CART, weight: 1 },
          { source: CART, weight: 2 },
        ],
      },
    ],
    ["sources[0].weight", { sources: [{ source: CART, weight: -1 }] }],
    ["sources[0].weight", { sources: [{ source: CART, weight: Number.NaN }] }],
    ["sources, at least one weight above 0", { sources: [{ source: CART, weight: 0 }] }],
    ["ready_list.kind", { readyList: { kind: 99 } }],
    ["ready_list.period, 1 to 90 whole days", { readyList: { kind: BESTSELLERS, period: durationFromMs(91 * DAY) } }],
    ["ready_list.period, 1 to 22 whole days", { readyList: { kind: TRENDING, period: durationFromMs(1.5 * DAY) } }],
    ["ready_list.period, none", { readyList: { kind: BUY_AGAIN, period: durationFromMs(DAY) } }],
    ["rules.boosts[0].factor, 0.01 to 100", { rules: { boosts: [{ condition: { case: "group", value: "a" } }] } }],
    ["rules.boosts[0].condition", { rules: { boosts: [{ factor: 2 }] } }],
    ["rules.boosts[0].margin", { rules: { boosts: [{ factor: 2, condition: { case: "margin", value: {} } }] } }],
    [
      "rules.boosts[0].stock, finite numbers, min not above max",
      { rules: { boosts: [{ factor: 2, condition: { case: "stock", value: { min: 2, max: 1 } } }] } },
    ],
    [
      "rules.boosts[0].attribute.value",
      { rules: { boosts: [{ factor: 2, condition: { case: "attribute", value: { name: "a" } } }] } },
    ],
    ["rules.relative_filters[0]", { rules: { relativeFilters: [0] } }],
    ["rules.relative_filters, DEARER or CHEAPER, not both", { rules: { relativeFilters: [3, 4] } }],
    ["rules.same_attributes[1]", { rules: { sameAttributes: ["a", ""] } }],
    ["rules.max_per_brand, 0 to 100", { rules: { maxPerBrand: 101 } }],
    ["exploration, 0 to 0.2", { exploration: 0.21 }],
    [
      "variants[0].rotation_period, above 0, at most 7 days",
      { variants: [{ name: "a", weight: 1, rotationPeriod: durationFromMs(8 * DAY) }] },
    ],
    ["variants[0].ready_list.kind", { variants: [{ name: "a", weight: 1, readyList: { kind: 99 } }] }],
    ["pinned_product_ids, at most 20", { pinnedProductIds: many(21) }],
    ["pinned_product_ids[1]", { pinnedProductIds: ["a", ""] }],
    ["pinned_product_ids[1], each product once", { pinnedProductIds: ["a", "a"] }],
    ["pinned_product_ids[1], a product that is not banned", { pinnedProductIds: ["a", "b"], bannedProductIds: ["b"] }],
    ["banned_product_ids, at most 200", { bannedProductIds: many(201) }],
    ["banned_product_ids[0]", { bannedProductIds: ["x".repeat(256)] }],
    ["variants, at most 10", { variants: many(11).map((name) => ({ name, weight: 1 })) }],
    ["variants[0].name", { variants: [{ weight: 1 }] }],
    ["variants[0].name", { variants: [{ name: "a b", weight: 1 }] }],
    [
      "variants[1].name, each name once",
      {
        variants: [
          { name: "a", weight: 1 },
          { name: "a", weight: 1 },
        ],
      },
    ],
    ["variants[0].weight", { variants: [{ name: "a", weight: 1001 }] }],
    ["variants, at least one weight above 0", { variants: [{ name: "a" }] }],
    ["variants[0].recommended_count", { variants: [{ name: "a", weight: 1, recommendedCount: 101 }] }],
    ["variants[0].alternative_count", { variants: [{ name: "a", weight: 1, alternativeCount: 101 }] }],
    ["variants[0].filter.price.min", { variants: [{ name: "a", weight: 1, filter: { price: { min: "x" } } }] }],
    [
      "variants[0].pin_choice.product_ids[1], each product once",
      { variants: [{ name: "a", weight: 1, pinChoice: { productIds: ["p1", "p1"] } }] },
    ],
    [
      "variants[0].pin_choice.product_ids[0], a product that is not banned",
      { bannedProductIds: ["p1"], variants: [{ name: "a", weight: 1, pinChoice: { productIds: ["p1"] } }] },
    ],
    ["variants[0].diversity", { variants: [{ name: "a", weight: 1, diversity: 2 }] }],
    [
      "variants[0].source_choice.sources[0].weight",
      { variants: [{ name: "a", weight: 1, sourceChoice: { sources: [{ source: SEMANTIC, weight: 2000 }] } }] },
    ],
  ])("is rejected by the name of its %s", async (field, frame) => {
    await expect(set(frame)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^\[invalid_argument\] (Invalid|Missing required) field: frame_configuration\./),
        rawMessage: expect.stringContaining(`frame_configuration.${field}`),
      }),
    );
  });

  it("is returned as it was written, with the defaults of the rest", async () => {
    await set({ recommendedCount: 4 });
    expect(await get()).toMatchObject({ rotation: true, fallback: true, sources: [], variants: [] });
    expect(await get()).not.toHaveProperty("inStockOnly");
    const all = {
      title: "For you",
      pageKind: PageKind.CART,
      recommendedCount: 3,
      alternativeCount: 2,
      sources: [{ source: CART, weight: 2.5 }],
      rebuyDelay: durationFromMs(30 * DAY),
      rotationPeriod: durationFromMs(2.5 * DAY),
      rotation: false,
      pinnedProductIds: ["p1", "p2"],
      bannedProductIds: ["p3"],
      inStockOnly: false,
      fallback: false,
      diversity: 0.5,
      variants: [
        { name: "as-it-is", weight: 1 },
        {
          name: "other",
          weight: 3,
          recommendedCount: 0,
          alternativeCount: 7,
          diversity: 0,
          sourceChoice: { sources: [] },
          includeViewed: false,
          includeBought: true,
          rotation: true,
          fallback: true,
          filter: { excludedGroupIds: ["sale"] },
          pinChoice: { productIds: ["p4"] },
        },
      ],
    };
    await set(all);
    const read = await get();
    expect(read).toMatchObject(all);
    expect(read).not.toMatchObject({ variants: [{ recommendedCount: 0 }] });
    expect(read).not.toMatchObject({ variants: [{ filter: {} }] });
    expect(read).not.toMatchObject({ variants: [{ pinChoice: {} }] });
  });

  it("names each pinned or banned id that is no product and no group of variants, and says what is accepted", async () => {
    const variants = [{ name: "a", weight: 1, pinChoice: { productIds: ["ghost"] } }];
    const unknown = set({ pinnedProductIds: ["p1", "ghost"], bannedProductIds: ["pans", "gone"], variants });
    const accepted = "the id of a product of the catalogue, or of a group of its variants";
    const fields = ["pinned_product_ids[1]", "banned_product_ids[1]", "variants[0].pin_choice.product_ids[0]"];
    await expect(unknown).rejects.toThrow(
      `[invalid_argument] ${fields.map((field) => `Invalid field: frame_configuration.${field}, ${accepted}`).join("; ")}`,
    );
    await expect(get()).rejects.toThrow("[not_found]");
  });

  it("can be changed when a product that it pins was deleted since", async () => {
    await set({ pinnedProductIds: ["p1"] });
    await remove("p1");
    await set({ pinnedProductIds: ["p1"], title: "Still here" });
    expect(await get()).toMatchObject({ pinnedProductIds: ["p1"], title: "Still here" });
    await set({ pinnedProductIds: [] });
    await expect(set({ pinnedProductIds: ["p1"] })).rejects.toThrow("pinned_product_ids[0]");
  });
});

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}
