import { describe, expect, it } from "vitest";
import { rowsFrom } from "../../../src/learning/common/rows.js";
import { fitCartSources, tryCartRanking } from "../../../src/learning/rank/carts/learn-ranking.js";
import { cartSource } from "../../../src/learning/sources/carts.js";
import type { SourceQuery } from "../../../src/learning/sources/source.js";

// A kitchen shop: 0 flour, 1 yeast, 2 tin (baking); 3 vodka, 4 lime, 5 shaker (drinks).
const LISTS = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? [0, 1, 2] : [3, 4, 5]));
const ORDERS = {
  baskets: rowsFrom(LISTS),
  at: new Float64Array(12),
  customers: new Uint32Array(12),
};
const sources = fitCartSources(ORDERS, 6, 0);
const ranked = cartSource(sources.cart, { sources, ranking: tryCartRanking(ORDERS, 6, 1).ranking });
const plain = cartSource(sources.cart, undefined);

function query(more: Partial<SourceQuery>): SourceQuery {
  const nothing = new Uint32Array(0);
  const session = { items: nothing, weights: new Float32Array(0), runs: nothing };
  return { session, antecedents: nothing, basket: nothing, hasCart: false, anchor: nothing, ...more };
}

const cart = query({ basket: Uint32Array.of(0, 1), hasCart: true });
const viewing = query({ basket: Uint32Array.of(3) });
const returning = query({
  purchases: {
    products: Uint32Array.of(3, 4),
    times: Float32Array.of(1, 1),
    days: Float32Array.of(2, 2),
    orders: 1,
  },
});

describe("the cart as a source", () => {
  it("completes a cart, with a ranking and without", () => {
    for (const source of [ranked, plain]) expect(source.complements(cart, 1).indices).toEqual(Uint32Array.of(2));
  });

  it("proposes the next order of a customer without a cart or views, repeat purchases included", () => {
    expect([...ranked.complements(returning, 6).indices]).toContain(5);
    expect([...ranked.complements(returning, 6).indices]).toContain(3);
    expect(plain.complements(returning, 1).indices).toEqual(Uint32Array.of(5));
  });

  it("reports that its ranking was learned for carts and next orders, when there is one", () => {
    expect([cart, returning, viewing].map((asked) => ranked.isLearned?.(asked))).toEqual([true, true, false]);
    expect([cart, returning, viewing].map((asked) => plain.isLearned?.(asked))).toEqual([false, false, false]);
  });

  it("explains its proposals by the query products", () => {
    expect(ranked.explain(cart, "recommended", 2)?.becauseOf).toContain(0);
    expect(ranked.explain(returning, "recommended", 5)?.becauseOf).toContain(3);
    expect(ranked.explain(cart, "alternative", 2)).toBeUndefined();
  });

  it("explains repeat purchases by the earlier orders", () => {
    const why = { becauseOf: [3], counts: { times_ordered: 1, days_since_ordered: 2, orders: 1 } };
    expect(ranked.explain(returning, "recommended", 3)).toEqual(why);
  });

  it("proposes nothing for an empty query", () => {
    expect(ranked.complements(query({}), 5).indices).toHaveLength(0);
  });
});
