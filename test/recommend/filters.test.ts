import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { bareApp } from "../../src/domain/app.js";
import { DEFAULT_FRAME } from "../../src/domain/frame.js";
import type { Product } from "../../src/domain/product.js";
import { isPricedWithin, NO_FILTER, type ProductFilter, type ProductGroup } from "../../src/domain/product-filter.js";
import { createRecommender } from "../../src/recommend/recommend.js";
import { BLANK_QUERY, type RecommendQuery } from "../../src/recommend/request/query.js";
import type { Situation } from "../../src/recommend/request/situation.js";
import type { ProductChange } from "../../src/store/ports/product-store.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { unexpectedFailure } from "../fixtures/failures.js";
import { indexedModel } from "../fixtures/indexed-model.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { NOON } from "../fixtures/store.js";

// The shop: a tent, a stove and a lamp of two brands; the lamp is sold out.
const TENT = bareProduct("tent", {
  title: "Tent",
  brand: "Northfold",
  categories: [
    { categoryId: "camp", name: "" },
    { categoryId: "sleep", name: "" },
  ],
  tags: ["new"],
  price: { amount: "199.90", currency: "EUR" },
});
const STOVE = bareProduct("stove", {
  title: "Stove",
  brand: "Emberly",
  categories: [
    { categoryId: "camp", name: "" },
    { categoryId: "cook", name: "" },
  ],
  price: { amount: "59.00", currency: "EUR" },
});
const LAMP = bareProduct("lamp", {
  title: "Lamp",
  brand: "Emberly",
  tags: ["new"],
  price: { amount: "59.00", currency: "USD" },
  available: false,
});
const MAP = bareProduct("map", { title: "Map", sku: "M1" });

async function viewOf(products: readonly Product[]) {
  async function* scan() {
    yield products;
  }
  return createCatalogViews({ scan, watch: () => () => {} }, () => 0).of("shop");
}

async function answerOf(
  products: readonly Product[],
  filters: readonly ProductFilter[],
  query: Partial<RecommendQuery> = {},
  more: Partial<Situation> = {},
) {
  return createRecommender({ metrics: countingMetrics(), reportFailure: unexpectedFailure })(
    {
      query: { ...BLANK_QUERY, recommendedCount: 10, alternativeCount: 10, ...query },
      frame: DEFAULT_FRAME,
      known: [],
      catalog: await viewOf(products),
      model: undefined,
      filters,
      app: bareApp("shop", 0),
      version: "",
      now: NOON,
      ...more,
    },
    false,
  );
}

const idsOf = ({ recommended, alternative }: Awaited<ReturnType<typeof answerOf>>) =>
  [...recommended, ...alternative].map(({ productId }) => productId).sort();

const shown = async (filter: Partial<ProductFilter>, groups: readonly ProductGroup[] = []) =>
  idsOf(
    await answerOf(
      [TENT, STOVE, LAMP, MAP],
      [{ ...NO_FILTER, ...filter }],
      {},
      {
        app: { ...bareApp("shop", 0), groups },
      },
    ),
  );

const GIFTS: ProductGroup = {
  groupId: "gifts",
  title: "",
  categoryIds: ["cook"],
  brands: ["NORTHFOLD"],
  tags: [],
  productIds: ["map"],
};

describe("a filter", () => {
  it("accepts a category of any level", async () => {
    expect(await shown({ anyGroup: ["camp"] })).toEqual(["stove", "tent"]);
    expect(await shown({ anyGroup: ["cook"] })).toEqual(["stove"]);
  });

  it("accepts a tag", async () => expect(await shown({ anyGroup: ["new"] })).toEqual(["tent"]));

  it("accepts a brand, ignoring case", async () =>
    expect(await shown({ anyGroup: ["brand:emberLY"] })).toEqual(["stove"]));

  it("shows products in one of the groups, in each of them, or in none of them", async () => {
    expect(await shown({ anyGroup: ["cook", "sleep"] })).toEqual(["stove", "tent"]);
    expect(await shown({ allGroups: ["camp", "new"] })).toEqual(["tent"]);
    expect(await shown({ noGroup: ["cook", "new"] })).toEqual(["map"]);
  });

  it("shows nothing when one of the groups that must all match does not exist", async () =>
    expect(await shown({ allGroups: ["camp", "nothing"] })).toEqual([]));

  it("prefers a group that the app defined to a tag of the same name", async () => {
    expect(await shown({ anyGroup: ["gifts"] }, [GIFTS])).toEqual(["map", "stove", "tent"]);
    expect(await shown({ anyGroup: ["new"] }, [{ ...GIFTS, groupId: "new", brands: [] }])).toEqual(["map", "stove"]);
  });

  it("keeps to a price range, both ends included, and drops products without a price", async () => {
    expect(await shown({ price: { min: "59", max: "199.90", currency: "" } })).toEqual(["stove", "tent"]);
    expect(await shown({ price: { min: "59.01", max: "", currency: "" } })).toEqual(["tent"]);
    expect(await shown({ price: { min: "", max: "199.89", currency: "EUR" } })).toEqual(["stove"]);
  });

  it("drops prices of another currency", async () =>
    expect(await shown({ price: { min: "1", max: "", currency: "usd" }, availability: "any" })).toEqual(["lamp"]));

  it("shows out-of-stock products only when it says so", async () => {
    expect(await shown({})).not.toContain("lamp");
    expect(await shown({ availability: "any" })).toContain("lamp");
  });

  it("never shows excluded products", async () =>
    expect(await shown({ excludeProductIds: ["tent", "map"] })).toEqual(["stove"]));

  it("applies to pinned products and to the category fill of alternative", async () => {
    const cook = [{ ...NO_FILTER, anyGroup: ["cook"] }];
    const shop = [TENT, { ...TENT, productId: "dome" }, STOVE];
    const frame = { ...DEFAULT_FRAME, pinnedProductIds: ["dome"] };
    expect(idsOf(await answerOf(shop, cook, { currentProductIds: ["tent"], recommendedCount: 0 }))).toEqual(["stove"]);
    expect(idsOf(await answerOf(shop, cook, {}, { frame }))).toEqual(["stove"]);
  });

  it("combines with another one", async () => {
    const camp = { ...NO_FILTER, anyGroup: ["camp"], availability: "any" as const };
    const fresh = { ...NO_FILTER, anyGroup: ["new"], availability: "in_stock" as const };
    expect(idsOf(await answerOf([TENT, STOVE, LAMP], [camp, fresh]))).toEqual(["tent"]);
    expect(idsOf(await answerOf([TENT, { ...LAMP, categories: TENT.categories }], [camp, fresh]))).toEqual(["tent"]);
  });
});

describe("a repeated filter", () => {
  it("includes products written meanwhile", async () => {
    let tell: (changes: readonly ProductChange[]) => void = () => {};
    const catalog = await createCatalogViews(
      {
        async *scan() {
          yield [TENT, STOVE, MAP];
        },
        watch: (_appId, listener) => {
          tell = listener;
          return () => {};
        },
      },
      () => 0,
    ).of("shop");
    const recommend = createRecommender({ metrics: countingMetrics(), reportFailure: unexpectedFailure });
    const filters = [{ ...NO_FILTER, anyGroup: ["camp"] }];
    const query = { ...BLANK_QUERY, recommendedCount: 10, alternativeCount: 0 };
    const situation = { query, frame: DEFAULT_FRAME, known: [], catalog, model: undefined, version: "", now: NOON };
    const ask = () =>
      recommend({ ...situation, filters, app: bareApp("shop", 0) }, false)
        .recommended.map(({ productId }) => productId)
        .sort();
    expect(ask()).toEqual(["stove", "tent"]);
    tell([{ put: { ...MAP, categories: TENT.categories } }, { put: { ...STOVE, categories: [] } }]);
    expect(ask()).toEqual(["map", "tent"]);
    tell([{ removed: "tent" }]);
    expect(ask()).toEqual(["map"]);
  });
});

describe("a product known only from events", () => {
  const learned = bareProduct("new", {
    title: "New",
    origin: "event",
    url: "https://evil.example/new",
    imageUrl: "https://cdn.shop.example/new.jpg",
  });
  const app = { ...bareApp("shop", 0), allowedOrigins: ["https://www.shop.example"] };

  it("links to the app's own hosts only, where these are listed", async () => {
    const { recommended } = await answerOf([learned], [], {}, { app });
    expect(recommended).toMatchObject([{ url: "", imageUrl: "https://cdn.shop.example/new.jpg" }]);
    expect((await answerOf([learned], [])).recommended[0]?.url).toBe("https://evil.example/new");
    const fed = { ...learned, origin: "catalog" as const };
    expect((await answerOf([fed], [], {}, { app })).recommended[0]?.url).toBe("https://evil.example/new");
  });
});

describe("variants of a product", () => {
  const red = bareProduct("red", { title: "Red", variantGroupId: "shirt", sku: "SR" });
  const blue = bareProduct("blue", { title: "Blue", variantGroupId: "shirt", sku: "SB" });

  it("are shown as one", async () => expect(idsOf(await answerOf([red, blue], []))).toHaveLength(1));

  it.each(["add_to_cart", "order"] as const)(
    "of a product that the visitor has by %s are not shown, by id and by SKU",
    async (type) => {
      const interaction = { type, productId: "red", sku: "", at: NOON - 1000 };
      const byId = await answerOf([red, blue, MAP], [], { interactions: [interaction] });
      expect(idsOf(byId)).toEqual(["map"]);
      const bySku = await answerOf([red, blue, MAP], [], {
        interactions: [{ ...interaction, productId: "", sku: "SR" }],
      });
      expect(idsOf(bySku)).toEqual(["map"]);
    },
  );

  it("of the current product are not shown, by id and by SKU", async () => {
    expect(idsOf(await answerOf([red, blue, MAP], [], { currentProductIds: ["red"] }))).toEqual(["map"]);
    expect(idsOf(await answerOf([red, blue, MAP], [], { currentSkus: ["SR"] }))).toEqual(["map"]);
  });
});

describe("every answer", () => {
  const anyGroup = fc.constantFrom("c0", "c1", "t0", "t1", "brand:B0", "named", "nothing");
  const anyProduct = fc.record({
    category: fc.nat(1),
    tag: fc.nat(1),
    brand: fc.constantFrom("", "b0", "B1"),
    amount: fc.constantFrom("", "0", "5", "10.50", "99999"),
    currency: fc.constantFrom("EUR", "USD", ""),
    available: fc.boolean(),
    hidden: fc.boolean(),
    variant: fc.constantFrom("", "", "v1", "v2"),
    origin: fc.constantFrom("catalog" as const, "event" as const),
  });
  const anyFilter: fc.Arbitrary<ProductFilter> = fc.record({
    anyGroup: fc.array(anyGroup, { maxLength: 2 }),
    allGroups: fc.array(anyGroup, { maxLength: 1 }),
    noGroup: fc.array(anyGroup, { maxLength: 1 }),
    excludeProductIds: fc.array(
      fc.nat(20).map((n) => `p${n}`),
      { maxLength: 3 },
    ),
    price: fc.option(
      fc.record({
        min: fc.constantFrom("", "5"),
        max: fc.constantFrom("", "20"),
        currency: fc.constantFrom("", "EUR"),
      }),
    ),
    availability: fc.constantFrom("" as const, "in_stock" as const, "any" as const),
  });
  const named: ProductGroup = { ...GIFTS, groupId: "named", categoryIds: ["c1"], brands: ["b1"], productIds: ["p0"] };

  it("keeps to all filters and exclusions, shows nothing twice, and drops nothing that passes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyProduct, { maxLength: 20 }),
        fc.array(anyFilter, { maxLength: 2 }),
        fc.boolean(),
        async (drafts, filters, trained) => {
          const products = drafts.map((draft, n) =>
            bareProduct(`p${n}`, {
              title: "T",
              categories: [{ categoryId: `c${draft.category}`, name: "" }],
              tags: [`t${draft.tag}`],
              brand: draft.brand,
              price: { amount: draft.amount, currency: draft.amount === "" ? "" : draft.currency },
              available: draft.available,
              hidden: draft.hidden,
              variantGroupId: draft.variant,
              origin: draft.origin,
            }),
          );
          const isIn = (product: Product, group: string): boolean =>
            group === "named"
              ? isIn(product, "c1") || isIn(product, "brand:b1") || product.productId === "p0"
              : [product.categories[0]?.categoryId, product.tags[0], `brand:${product.brand.toLowerCase()}`].includes(
                  group.startsWith("brand:") ? group.toLowerCase() : group,
                );
          const inStock =
            filters.some((f) => f.availability === "in_stock") || !filters.some((f) => f.availability === "any");
          const passes = (product: Product) =>
            !product.hidden &&
            (product.available || !inStock) &&
            filters.every(
              (f) =>
                (f.anyGroup.length === 0 || f.anyGroup.some((group) => isIn(product, group))) &&
                f.allGroups.every((group) => isIn(product, group)) &&
                !f.noGroup.some((group) => isIn(product, group)) &&
                !f.excludeProductIds.includes(product.productId) &&
                (f.price === null || isPricedWithin(product.price, f.price)),
            );
          const model = trained
            ? indexedModel(products.filter((_, n) => n % 3 !== 0).map((p) => p.productId))
            : undefined;
          const app = { ...bareApp("shop", 0), groups: [named] };
          const answer = await answerOf(products, filters, { currentCategoryIds: ["c1"] }, { model, app });
          const all = [...answer.recommended, ...answer.alternative];
          const cardOf = (product: Product) => product.variantGroupId || product.productId;
          expect(all.filter((product) => !passes(product))).toEqual([]);
          expect(new Set(all.map(cardOf)).size).toBe(all.length);
          expect(all.length).toBe(Math.min(20, new Set(products.filter(passes).map(cardOf)).size));
        },
      ),
    );
  });
});
