import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/learning/common/random.js";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { createCartCandidates } from "../../../../src/learning/rank/carts/candidates.js";
import { CART_FEATURES } from "../../../../src/learning/rank/carts/features.js";
import {
  CART_RANKING_DEFAULTS,
  fitCartSources,
  tryCartRanking,
} from "../../../../src/learning/rank/carts/learn-ranking.js";
import { NO_CUSTOMER, type Orders } from "../../../../src/learning/rank/carts/questions.js";
import { type CartRanking, decodeCartRanking, encodeCartRanking } from "../../../../src/learning/rank/carts/ranking.js";
import { createCartRecommender } from "../../../../src/learning/rank/carts/recommender.js";
import { treeCount } from "../../../../src/learning/rank/trees/forest.js";
import { knownProducts } from "../../../../src/learning/sources/carts/complements.js";

const DAY = 86_400_000;
const PRODUCTS = 60;

/**
 * A grocer with ten shelves of six products. An order is of one shelf and sometimes of its neighbour; the last two
 * products of each shelf are sold in the second half of the time only. Customer 0 buys product 0 in each order.
 */
function grocer(count: number): Orders {
  const random = createRandom(5);
  const below = (n: number) => Math.floor(random() * n);
  const lists = Array.from({ length: count }, (_, row) => {
    const shelf = below(10);
    const on = (s: number) => (s % 10) * 6 + below(row > count / 2 ? 6 : 4);
    const list = new Set(Array.from({ length: 2 + below(4) }, () => on(random() < 0.8 ? shelf : shelf + 1)));
    return row % 8 === 0 ? [...new Set([0, ...list])] : [...list];
  });
  return {
    baskets: rowsFrom(lists),
    at: Float64Array.from({ length: count }, (_, row) => (row * 100 * DAY) / count),
    customers: Uint32Array.from({ length: count }, (_, row) => (row % 8 === 7 ? NO_CUSTOMER : row % 8)),
  };
}

const PARAMS = {
  ...CART_RANKING_DEFAULTS,
  newestShare: 0.4,
  boosting: { ...CART_RANKING_DEFAULTS.boosting, trees: 20, learningRate: 0.2, minHessian: 2 },
};

describe("the cart ranking", () => {
  const orders = grocer(700);
  const sources = fitCartSources(orders, PRODUCTS, 100 * DAY);
  let ranking: CartRanking;
  beforeAll(() => {
    ranking = tryCartRanking(orders, PRODUCTS, 3, PARAMS).ranking;
  });

  it("is at least as good on the newest orders as the best source alone", () => {
    for (const order of [ranking.cart, ranking.customer]) {
      expect(order.judged).toBeGreaterThan(100);
      expect(order.hitRate + order.reciprocalRank).toBeGreaterThanOrEqual(
        order.bestSourceHitRate + order.bestSourceReciprocalRank,
      );
      expect(treeCount(order.forest) > 0).toBe(order.lead === "trees");
    }
    expect(ranking.cart.lead).toBe("trees");
  });

  it("depends on the orders and the seed alone", () => {
    expect(tryCartRanking(orders, PRODUCTS, 3, PARAMS).ranking).toEqual(ranking);
  });

  it("proposes a product of the cart's shelf first", () => {
    const { complements } = createCartRecommender(sources, ranking);
    const shelves = Array.from({ length: 10 }, (_, shelf) => shelf);
    const firstOf = (shelf: number) => complements(Uint32Array.of(6 * shelf, 6 * shelf + 1), 1).indices[0]!;
    expect(shelves.map((shelf) => Math.floor(firstOf(shelf) / 6))).toEqual(shelves);
  });

  it("never proposes products of the cart, has falling scores, and returns the first k of the longer answer", () => {
    const recommender = createCartRecommender(sources, ranking);
    const anyCart = fc.array(fc.nat(PRODUCTS + 5), { maxLength: 8 }).map((items) => Uint32Array.from(items));
    fc.assert(
      fc.property(anyCart, fc.nat(9), (items, k) => {
        const all = recommender.complements(items, 500);
        for (const item of items) expect(all.indices).not.toContain(item);
        expect(new Set(all.indices).size).toBe(all.indices.length);
        expect([...all.scores]).toEqual([...all.scores].sort((a, b) => b - a));
        expect(recommender.complements(items, k).indices).toEqual(all.indices.slice(0, k));
      }),
    );
  });

  it("returns nothing for an empty cart", () => {
    expect(createCartRecommender(sources, ranking).complements(new Uint32Array(0), 5).indices).toHaveLength(0);
  });

  it("proposes a customer's repeat purchases unless repeats are excluded", () => {
    const purchases = {
      products: Uint32Array.of(20, 0),
      times: Float32Array.of(1, 40),
      days: Float32Array.of(30, 1),
      orders: 40,
    };
    const recommender = createCartRecommender(sources, ranking);
    expect([...recommender.nextOrder(purchases, 3, true).indices]).toContain(0);
    const fresh = recommender.nextOrder(purchases, 100, false).indices;
    expect(fresh.length).toBeGreaterThan(3);
    for (const product of purchases.products) expect(fresh).not.toContain(product);
  });

  it("answers the same after decoding", () => {
    const { sales, near } = sources;
    const decoded = decodeCartRanking(encodeCartRanking({ ranking, sales, near }));
    expect(decoded).toEqual({ ranking, sales, near });
    const cart = Uint32Array.of(3, 4, 7);
    expect(createCartRecommender({ ...sources, ...decoded }, decoded.ranking).complements(cart, 9)).toEqual(
      createCartRecommender(sources, ranking).complements(cart, 9),
    );
  });

  it("is rejected in another format, with other features, or with a missing or mismatched part", () => {
    const section = encodeCartRanking({ ranking, sales: sources.sales, near: sources.near });
    const numbers = (change: Record<string, number>) => ({ ...section, numbers: { ...section.numbers, ...change } });
    expect(() => decodeCartRanking({ ...section, formatNumber: 9 })).toThrow("format 9");
    expect(() => decodeCartRanking(numbers({ features: 3 }))).toThrow("3 features");
    expect(() => decodeCartRanking(numbers({ productCount: 3 }))).toThrow("does not fit");
    expect(() => decodeCartRanking(numbers({ "cart.lead": 17 }))).toThrow("cart.lead");
    const { overall: _, ...others } = section.arrays;
    expect(() => decodeCartRanking({ ...section, arrays: others })).toThrow("overall");
    const shorter = { ...section.arrays, "near.offsets": Uint32Array.of(0) };
    expect(() => decodeCartRanking({ ...section, arrays: shorter })).toThrow();
  });

  it("keeps the best source first when there are too few questions, and reports that", () => {
    const few = tryCartRanking(grocer(60), PRODUCTS, 3, PARAMS).ranking;
    expect(few.cart.lead).not.toBe("trees");
    expect(few.cart.lead).toBe(few.cart.bestSource);
    expect(treeCount(few.cart.forest)).toBe(0);
  });

  it("can be learned from no orders", () => {
    const nothing = { baskets: rowsFrom([]), at: new Float64Array(0), customers: new Uint32Array(0) };
    const fitted = tryCartRanking(nothing, 3, 1).ranking;
    expect([fitted.cart.judged, fitted.customer.judged]).toEqual([0, 0]);
    const none = createCartRecommender(fitCartSources(nothing, 3, 0), fitted);
    expect(none.complements(Uint32Array.of(1), 3).indices).toHaveLength(0);
  });
});

describe("the candidates of a cart", () => {
  const lists = [[0, 1], [0, 1], [0, 2], [3, 4], [3, 4], [3], [3]];
  const sources = fitCartSources({ baskets: rowsFrom(lists), at: new Float64Array(7) }, 5, 0);
  const value = (
    candidates: ReturnType<ReturnType<typeof createCartCandidates>>,
    product: number,
    name: (typeof CART_FEATURES)[number],
  ) => candidates.rows[candidates.products.indexOf(product) * CART_FEATURES.length + CART_FEATURES.indexOf(name)];

  it("have all their features", () => {
    const found = createCartCandidates(sources)({ items: Uint32Array.of(0) });
    expect([...found.products.subarray(0, found.count)]).toEqual([1, 2]);
    // 0 is in three baskets, two of them with 1; 1 is in no other.
    expect(value(found, 1, "confidence")).toBeCloseTo(2 / 3, 6);
    expect(value(found, 1, "cosine")).toBeCloseTo(2 / Math.sqrt(6), 6);
    // 0 and 1 stand next to each other in two orders.
    expect(value(found, 1, "near")).toBeCloseTo(2 / Math.sqrt(6), 6);
    expect(value(found, 1, "overall")).toBeCloseTo(2 / 7, 6);
    expect([value(found, 1, "neighbours_rank"), value(found, 2, "neighbours_rank")]).toEqual([0, 1]);
    expect([value(found, 1, "times_bought"), value(found, 1, "days_since_bought")]).toEqual([0, -1]);
  });

  it("do not depend on the question before", () => {
    const reused = createCartCandidates(sources);
    const anyItems = fc.array(fc.nat(6), { maxLength: 4 }).map((items) => Uint32Array.from(items));
    const purchasesFrom = (items: Uint32Array) => ({
      products: Uint32Array.from(new Set(items)),
      times: new Float32Array(items.length).fill(2),
      days: new Float32Array(items.length).fill(1),
      orders: 2,
    });
    fc.assert(
      fc.property(anyItems, fc.boolean(), (items, returning) => {
        const purchases = returning ? purchasesFrom(items) : undefined;
        const question = { items: purchases?.products ?? items, purchases };
        const again = reused(question);
        const fresh = createCartCandidates(sources)(question);
        expect(again.products).toEqual(fresh.products);
        const size = fresh.count * CART_FEATURES.length;
        expect(again.rows.subarray(0, size)).toEqual(fresh.rows.subarray(0, size));
        if (returning)
          for (const product of knownProducts(sources.cart, items)) expect(again.products).toContain(product);
      }),
    );
  });
});
