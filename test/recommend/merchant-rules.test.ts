import { describe, expect, it } from "vitest";
import type { FrameConfiguration } from "../../src/domain/frame.js";
import { type Boost, type FrameRules, NO_RULES } from "../../src/domain/frame-rules.js";
import type { Product } from "../../src/domain/product.js";
import type { RecommendQuery } from "../../src/recommend/request/query.js";
import type { Situation } from "../../src/recommend/request/situation.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, modelOf, shopProduct } from "./frame-shop.js";

const DAY = 86_400_000;
const EUR = (amount: string) => ({ amount, currency: "EUR" });
const inCategory = (categoryId: string) => ({ categories: [{ categoryId, name: "" }] });

/** Twelve products, the most popular first; only popularity proposes. */
function shop(
  rules: Partial<FrameRules>,
  products: Readonly<Record<string, Partial<Product>>>,
  query: Partial<RecommendQuery> = {},
  frame: Partial<FrameConfiguration> = {},
  more: Partial<Situation> = {},
) {
  const catalog = catalogOf(IDS.map((id) => shopProduct(id, products[id])));
  return ask({ rules: { ...NO_RULES, ...rules }, alternativeCount: 0, ...frame }, query, {
    model: modelOf(IDS, []),
    catalog,
    ...more,
  });
}

const boost = (factor: number, condition: Boost["condition"], more: Partial<Boost> = {}): Boost => ({
  factor,
  condition,
  name: "",
  value: "",
  min: null,
  max: null,
  ...more,
});

describe("a boost", () => {
  it.each<[string, Boost, Partial<Product>]>([
    ["of a category", boost(5, "group", { name: "tents" }), inCategory("tents")],
    ["of an attribute", boost(5, "attribute", { name: "Colour", value: "red" }), { attributes: { Colour: " Red " } }],
    ["of a margin", boost(5, "margin", { min: 0.4 }), { price: EUR("10"), cost: EUR("6") }],
    ["of much stock", boost(5, "stock", { min: 100 }), { stock: 100 }],
    ["of new products", boost(5, "age", { max: 14 }), { addedAt: NOON - 3 * DAY }],
  ])("%s raises a product, and the answer says so", (_, rule, product) => {
    // p9 counts 3, five times that is more than the 12 of p0.
    const { recommended, answer } = shop({ boosts: [rule] }, { p9: product });
    expect(recommended).toBe("p9 p0 p1");
    expect(answer.recommendedReasons.map(({ boosts }) => boosts)).toEqual([[rule], [], []]);
  });

  it.each<[string, Boost, Partial<Product>]>([
    ["margin without a cost", boost(5, "margin", { max: 1 }), { price: EUR("10") }],
    [
      "margin in another currency",
      boost(5, "margin", { max: 1 }),
      { price: EUR("10"), cost: { amount: "1", currency: "USD" } },
    ],
    ["unknown stock", boost(5, "stock", { max: 10 }), {}],
    ["unknown age", boost(5, "age", { min: 0 }), {}],
    ["another value", boost(5, "attribute", { name: "Colour", value: "red" }), { attributes: { Colour: "blue" } }],
  ])("does not take %s for a condition that is met", (_, rule, product) => {
    expect(shop({ boosts: [rule] }, { p9: product }).recommended).toBe("p0 p1 p2");
  });

  it("below 1 lowers a product without hiding it", () => {
    const rules = { boosts: [boost(0.01, "stock", { max: 3 })] };
    expect(shop(rules, { p0: { stock: 2 } }).recommended).toBe("p1 p2 p3");
    expect(
      shop(rules, { p0: { stock: 2 } }, {}, { recommendedCount: 12 })
        .recommended.split(" ")
        .at(-1),
    ).toBe("p0");
  });

  it("changes the order of what the model recommends, and of alternatives", () => {
    const rules = { boosts: [boost(9, "group", { name: "acme" })] };
    const products = { p3: inCategory("acme"), p7: inCategory("acme") };
    const model = { model: modelOf(IDS) };
    // Sessions propose p1 p2 p3, texts p9 p8 p7.
    expect(shop({}, products, { currentProductIds: ["p0"] }, { alternativeCount: 3 }, model).alternative).toBe(
      "p9 p8 p7",
    );
    const boosted = shop(rules, products, { currentProductIds: ["p0"] }, { alternativeCount: 3 }, model);
    expect(boosted.alternative).toBe("p7 p9 p8");
    expect(boosted.recommended.split(" ")[0]).toBe("p3");
  });

  it("changes the order of a ready list", () => {
    const seen = (productId: string, daysAgo: number) =>
      ({ type: "product_view", productId, sku: "", at: NOON - daysAgo * DAY }) as const;
    const interactions = [seen("p4", 3), seen("p8", 2), seen("p6", 1)];
    const frame = { readyList: { kind: "recently_viewed", days: 0 }, fallback: false } as const;
    const rules = { boosts: [boost(9, "group", { name: "acme" })] };
    expect(shop(rules, { p4: inCategory("acme") }, { interactions }, frame).recommended).toBe("p4 p6 p8");
  });
});

describe("a comparison with the product viewed", () => {
  const page = { currentProductIds: ["p5"] };

  it("leaves only dearer products, or cheaper ones", () => {
    const products = {
      p5: { price: EUR("20") },
      p7: { price: EUR("30") },
      p8: { price: EUR("20.00") },
      p9: { price: EUR("5") },
    };
    expect(shop({ relative: ["dearer"] }, products, page).recommended).toBe("p7");
    expect(shop({ relative: ["cheaper"] }, products, page).recommended).toBe("p9");
  });

  it("leaves only products of the same category and line", () => {
    const line = (name: string) => ({ attributes: { line: name } });
    const products = {
      p5: { ...inCategory("tents"), ...line("Alpine") },
      p2: { ...inCategory("tents"), ...line("City") },
      p3: { ...inCategory("tents"), ...line("Alpine") },
      p4: { ...inCategory("lamps"), ...line("Alpine") },
    };
    expect(shop({ relative: ["same_category"] }, products, page).recommended).toBe("p2 p3");
    expect(shop({ relative: ["same_category"], sameAttributes: ["line"] }, products, page).recommended).toBe("p3");
  });

  it("does nothing where no product is viewed, and for what the product does not have", () => {
    const rules: Partial<FrameRules> = { relative: ["same_category", "dearer"], sameAttributes: ["line"] };
    expect(shop(rules, {}).recommended).toBe("p0 p1 p2");
    expect(shop(rules, {}, page).recommended).toBe("p0 p1 p2");
  });
});

describe("the most products of a brand or category", () => {
  const acme = Object.fromEntries(["p0", "p1", "p2", "p3"].map((id) => [id, { brand: "Acme" }]));

  it("leaves places to others in each list", () => {
    expect(shop({ maxPerBrand: 2 }, acme).recommended).toBe("p0 p1 p4");
    expect(shop({ maxPerCategory: 1 }, { p0: inCategory("a"), p1: inCategory("a") }).recommended).toBe("p0 p2 p3");
  });

  it("does not count pins", () => {
    expect(shop({ maxPerBrand: 1 }, acme, {}, { pinnedProductIds: ["p3"] }).recommended).toBe("p3 p0 p4");
  });

  it("holds with diversity, and still fills the list", () => {
    const brands = Object.fromEntries(IDS.map((id, i) => [id, { brand: i < 9 ? "Acme" : `B${i}` }]));
    const { recommended } = shop({ maxPerBrand: 1 }, brands, {}, { diversity: 0.5 });
    expect(recommended.split(" ").sort()).toHaveLength(3);
    expect(recommended.split(" ").filter((id) => brands[id]?.brand === "Acme")).toHaveLength(1);
  });
});
