import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_FRAME, FRAME_SOURCES, type FrameConfiguration, PAGE_KINDS } from "../../src/domain/frame.js";
import type { Product } from "../../src/domain/product.js";
import { isPricedWithin, NO_FILTER, type ProductFilter } from "../../src/domain/product-filter.js";
import { frameOfVariant } from "../../src/recommend/frames/variants.js";
import type { RecommendAnswer, RecommendQuery } from "../../src/recommend/request/query.js";
import { variant } from "../contract/samples.js";
import { RUNS } from "../fixtures/runs.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, modelOf, ranked, shopProduct, source } from "./frame-shop.js";

const DAY_MS = 86_400_000;
const anyId = fc.constantFrom(...IDS, "unknown");
const someIds = (most: number) => fc.uniqueArray(anyId, { maxLength: most });

const LOW = { categoryId: "low", name: "" };
const HIGH = { categoryId: "high", name: "" };

const anyProducts: fc.Arbitrary<Product[]> = fc
  .array(
    fc.record({
      available: fc.boolean(),
      hidden: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      variantGroupId: fc.constantFrom("", "", "v1", "v2"),
      categories: fc.constantFrom([], [LOW], [HIGH], [LOW, HIGH]),
      price: fc.constantFrom("", "5.00", "20.00").map((amount) => ({ amount, currency: amount && "EUR" })),
    }),
    { minLength: IDS.length, maxLength: IDS.length },
  )
  .map((facts) => facts.map((more, i) => shopProduct(IDS[i]!, more)));

const anyModel = fc
  .array(fc.tuple(fc.constantFrom(...FRAME_SOURCES), fc.shuffledSubarray([...IDS.keys()])), { maxLength: 4 })
  .map((proposals) =>
    modelOf(
      IDS,
      proposals
        .filter(([name], i) => name !== "popularity" && proposals.findIndex(([other]) => other === name) === i)
        .map(([name, indices]) => source(name, ranked(indices), ranked([...indices].reverse()))),
    ),
  );

const anyFilter: fc.Arbitrary<ProductFilter> = fc
  .record({
    excludeProductIds: someIds(3),
    anyGroup: fc.constantFrom([], [], ["low"], ["low", "high"], ["none"]),
    noGroup: fc.constantFrom([], [], [], ["high"]),
    allGroups: fc.constantFrom([], [], [], ["low"], ["low", "high"]),
    price: fc.constantFrom(null, null, { min: "", max: "10", currency: "" }, { min: "10", max: "", currency: "EUR" }),
    availability: fc.constantFrom("" as const, "" as const, "in_stock" as const, "any" as const),
  })
  .map((filter) => ({ ...NO_FILTER, ...filter }));

const anyFrame: fc.Arbitrary<Partial<FrameConfiguration>> = fc
  .record({
    recommendedCount: fc.integer({ min: 0, max: 6 }),
    alternativeCount: fc.integer({ min: 0, max: 6 }),
    includeViewed: fc.boolean(),
    includeBought: fc.boolean(),
    rebuyAfterDays: fc.constantFrom(0, 10, 30),
    diversity: fc.constantFrom(0, 0.5, 1),
    rotation: fc.boolean(),
    rotationRate: fc.constantFrom(0.2, 1),
    fallback: fc.boolean(),
    inStockOnly: fc.boolean(),
    stockSaid: fc.boolean(),
    pageKind: fc.constantFrom("" as const, ...PAGE_KINDS),
    pinnedProductIds: someIds(5),
    bannedProductIds: someIds(5),
    filter: anyFilter,
    sources: fc.constantFrom([], [{ source: "cart", weight: 1 } as const]),
  })
  .map((frame) => ({
    ...frame,
    pinnedProductIds: frame.pinnedProductIds.filter((id) => !frame.bannedProductIds.includes(id)),
  }));

const anyQuery: fc.Arbitrary<Partial<RecommendQuery>> = fc.record({
  interactions: fc.array(
    fc.record({
      type: fc.constantFrom("product_view" as const, "add_to_cart" as const, "order" as const),
      productId: anyId,
      sku: fc.constant(""),
      at: fc.integer({ min: 0, max: 40 }).map((days) => NOON - days * DAY_MS),
    }),
    { maxLength: 8 },
  ),
  frameInteractions: fc.array(fc.constant({ frameId: "default", at: NOON }), { maxLength: 3 }),
  currentProductIds: someIds(2),
  currentCategoryIds: fc.constantFrom([], ["low"]),
  filter: anyFilter,
});

const anyShownLists = fc.array(
  fc.record({
    frameId: fc.constant("default"),
    at: fc.integer({ min: 1, max: 9 }).map((n) => NOON - n),
    productIds: someIds(6),
  }),
  { maxLength: 3 },
);

/** A frame that is split has one variant, which every visitor gets. */
const anySplitFrame = fc
  .tuple(
    anyFrame,
    fc.option(anyFilter),
    fc.option(someIds(4)),
    fc.option(fc.boolean()),
    fc.option(fc.integer({ min: 0, max: 6 })),
  )
  .map(([change, filter, pins, includeBought, recommendedCount]) => {
    const whole = { ...DEFAULT_FRAME, ...change };
    const pinnedProductIds = pins?.filter((id) => !whole.bannedProductIds.includes(id)) ?? null;
    return frameOfVariant(whole, variant("v", 1, { filter, pinnedProductIds, includeBought, recommendedCount }));
  });

/** Every rule of what a frame shows. */
function checkRules(frame: FrameConfiguration, query: Partial<RecommendQuery>, answer: RecommendAnswer): void {
  const shown = [...answer.recommended, ...answer.alternative];
  const ids = shown.map(({ productId }) => productId);
  expect(answer.recommended.length).toBeLessThanOrEqual(frame.recommendedCount);
  expect(answer.alternative.length).toBeLessThanOrEqual(frame.alternativeCount);
  const names = shown.map(({ productId, variantGroupId }) => variantGroupId || productId);
  expect(new Set(names).size).toBe(names.length);

  const filters = [query.filter ?? NO_FILTER, frame.filter];
  for (const { anyGroup, allGroups, noGroup, excludeProductIds, price } of filters)
    for (const product of shown) {
      const groups = product.categories.map(({ categoryId }) => categoryId);
      expect(excludeProductIds).not.toContain(product.productId);
      expect(noGroup.some((group) => groups.includes(group))).toBe(false);
      expect(allGroups.every((group) => groups.includes(group))).toBe(true);
      if (anyGroup.length > 0) expect(anyGroup.some((group) => groups.includes(group))).toBe(true);
      if (price !== null) expect(isPricedWithin(product.price, price)).toBe(true);
    }
  const isReadmitted = !frame.stockSaid && filters.some(({ availability }) => availability === "any");
  const inStock =
    filters.some(({ availability }) => availability === "in_stock") || (frame.inStockOnly && !isReadmitted);
  for (const product of shown) {
    expect(product.hidden).toBe(false);
    if (inStock) expect(product.available).toBe(true);
  }

  const current = query.currentProductIds ?? [];
  const orders = query.interactions?.filter(({ type }) => type === "order") ?? [];
  const newest = Math.max(...orders.map(({ at }) => at));
  const days = frame.rebuyAfterDays === 0 ? Number.POSITIVE_INFINITY : frame.rebuyAfterDays;
  const since = NOON - days * DAY_MS;
  const inCart = query.interactions?.filter(
    ({ type, at }) => type === "add_to_cart" && at > newest && at >= NOON - DAY_MS,
  );
  const never = [
    ...frame.bannedProductIds,
    ...(inCart ?? []).map(({ productId }) => productId),
    ...(frame.includeViewed && frame.pageKind !== "cart" && frame.pageKind !== "order" ? [] : current),
    ...(frame.includeBought ? [] : orders.filter(({ at }) => at > since)).map(({ productId }) => productId),
    ...(frame.pageKind === "order" ? orders.filter(({ at }) => at === newest) : []).map(({ productId }) => productId),
  ];
  for (const id of never) expect(ids).not.toContain(id);

  // The pinned products that are shown first stand in the order of the pins.
  const first = frame.recommendedCount > 0 ? answer.recommended : answer.alternative;
  const places = first.map(({ productId }) => frame.pinnedProductIds.indexOf(productId)).filter((place) => place >= 0);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(first.slice(0, places.length).every(({ productId }) => frame.pinnedProductIds.includes(productId))).toBe(true);
}

describe("any frame, catalogue and visitor", () => {
  it("give no answer that breaks a filter, ban, exclusion, pin order, stock, count or uniqueness", () => {
    fc.assert(
      fc.property(
        anySplitFrame,
        anyQuery,
        anyProducts,
        fc.option(anyModel, { nil: undefined }),
        anyShownLists,
        (frame, query, products, model, shownLists) => {
          checkRules(frame, query, ask(frame, query, { catalog: catalogOf(products), model, shownLists }).answer);
        },
      ),
      { numRuns: RUNS.many },
    );
  });

  it("give frames of one page that share no product or variant and keep their own rules", () => {
    fc.assert(
      fc.property(
        fc.array(anySplitFrame, { minLength: 2, maxLength: 4 }),
        anyQuery,
        anyProducts,
        fc.option(anyModel, { nil: undefined }),
        (frames, query, products, model) => {
          const shown: Product[] = [];
          for (const frame of frames) {
            const { answer } = ask(frame, query, { catalog: catalogOf(products), model, shown: [...shown] });
            checkRules(frame, query, answer);
            shown.push(...answer.recommended, ...answer.alternative);
          }
          const names = shown.map(({ productId, variantGroupId }) => variantGroupId || productId);
          expect(new Set(names).size).toBe(names.length);
        },
      ),
      { numRuns: RUNS.many },
    );
  });
});
