import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME_SOURCES, type FrameConfiguration } from "../../src/domain/frame.js";
import type { Product } from "../../src/domain/product.js";
import { NO_FILTER, type ProductFilter } from "../../src/domain/product-filter.js";
import type { RecommendQuery } from "../../src/recommend/query.js";
import { NOON } from "../fixtures/store.js";
import { ask, catalogOf, IDS, modelOf, ranked, shopProduct, source } from "./frame-shop.js";

const DAY_MS = 86_400_000;
const anyId = fc.constantFrom(...IDS, "unknown");
const someIds = (most: number) => fc.uniqueArray(anyId, { maxLength: most });

const anyProducts: fc.Arbitrary<Product[]> = fc
  .array(
    fc.record({
      available: fc.boolean(),
      hidden: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      variantGroupId: fc.constantFrom("", "", "v1", "v2"),
      categories: fc.constantFrom([], [{ categoryId: "low", name: "" }], [{ categoryId: "high", name: "" }]),
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
    noGroup: fc.constantFrom([], [], ["high"]),
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
    fallback: fc.boolean(),
    inStockOnly: fc.boolean(),
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
  filter: anyFilter,
});

describe("whatever the frame, the catalogue and the visitor", () => {
  it("no answer breaks a ban, an exclusion, a pin's order, the stock, the counts or uniqueness", () => {
    fc.assert(
      fc.property(
        anyFrame,
        anyQuery,
        anyProducts,
        fc.option(anyModel, { nil: undefined }),
        (frame, query, products, model) => {
          const { answer } = ask(frame, query, { catalog: catalogOf(products), model });
          const shown = [...answer.recommended, ...answer.alternative];
          const ids = shown.map(({ productId }) => productId);
          expect(answer.recommended.length).toBeLessThanOrEqual(frame.recommendedCount ?? 0);
          expect(answer.alternative.length).toBeLessThanOrEqual(frame.alternativeCount ?? 0);
          expect(new Set(ids).size).toBe(ids.length);
          const groups = shown.map(({ variantGroupId }) => variantGroupId).filter((group) => group !== "");
          expect(new Set(groups).size).toBe(groups.length);
          for (const id of ids) {
            expect(frame.bannedProductIds).not.toContain(id);
            expect(query.filter?.excludeProductIds).not.toContain(id);
            if (!frame.includeViewed) expect(query.currentProductIds).not.toContain(id);
          }
          for (const { anyGroup, noGroup, excludeProductIds } of [query.filter, frame.filter].map(
            (f) => f ?? NO_FILTER,
          ))
            for (const { productId, categories } of shown) {
              const groups = categories.map(({ categoryId }) => categoryId);
              expect(excludeProductIds).not.toContain(productId);
              expect(noGroup.some((group) => groups.includes(group))).toBe(false);
              if (anyGroup.length > 0) expect(anyGroup.some((group) => groups.includes(group))).toBe(true);
            }
          for (const product of shown) {
            expect(product.hidden).toBe(false);
            if (frame.inStockOnly) expect(product.available).toBe(true);
          }
          const orders = query.interactions?.filter(({ type }) => type === "order") ?? [];
          const days = frame.rebuyAfterDays === 0 ? Number.POSITIVE_INFINITY : (frame.rebuyAfterDays ?? 0);
          if (!frame.includeBought)
            for (const { productId, at } of orders) if (at > NOON - days * DAY_MS) expect(ids).not.toContain(productId);
          // The pinned products that are shown first stand in the order of the pins.
          const pins = frame.pinnedProductIds ?? [];
          const first = (frame.recommendedCount ?? 0) > 0 ? answer.recommended : answer.alternative;
          const places = first.map(({ productId }) => pins.indexOf(productId)).filter((place) => place >= 0);
          expect(places).toEqual([...places].sort((a, b) => a - b));
          expect(first.slice(0, places.length).every(({ productId }) => pins.includes(productId))).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it("frames of one page share no product and no variant", () => {
    fc.assert(
      fc.property(
        fc.array(anyFrame, { minLength: 2, maxLength: 4 }),
        anyQuery,
        anyProducts,
        (frames, query, products) => {
          const shown: Product[] = [];
          for (const frame of frames) {
            const { answer } = ask(frame, query, { catalog: catalogOf(products), shown: [...shown] });
            shown.push(...answer.recommended, ...answer.alternative);
          }
          const names = shown.map(({ productId, variantGroupId }) => variantGroupId || productId);
          expect(new Set(names).size).toBe(names.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
