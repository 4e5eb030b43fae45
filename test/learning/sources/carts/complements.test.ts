import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import {
  type CartComplements,
  createComplementSearch,
  decodeCartComplements,
  encodeCartComplements,
  explainComplement,
  fitCartComplements,
} from "../../../../src/learning/sources/carts/complements.js";
import { neighbourhoodRidge } from "../../../../src/learning/sources/carts/neighbourhood-ridge.js";

// A kitchen shop: 0 flour, 1 yeast, 2 tin (baking); 3 vodka, 4 lime, 5 shaker (drinks); 6 bag, with anything.
const KITCHEN = [
  ...Array.from({ length: 6 }, () => [0, 1, 2]),
  ...Array.from({ length: 6 }, () => [3, 4, 5]),
  [0, 6],
  [1, 6],
  [3, 6],
  [4, 6],
];

const anyBaskets = fc.array(fc.array(fc.nat(7), { maxLength: 8 }), { maxLength: 20 });
const anyCart = fc.array(fc.nat(9), { maxLength: 6 }).map((items) => Uint32Array.from(items));

const complementsOf = (fitted: CartComplements, items: Uint32Array, k: number) =>
  createComplementSearch(fitted)(items, k);

describe("cart complements", () => {
  const cart = fitCartComplements(rowsFrom(KITCHEN), 7);

  it("complete a baking cart with the tin and a drinks cart with the shaker", () => {
    expect(complementsOf(cart, Uint32Array.of(0, 1), 1).indices).toEqual(Uint32Array.of(2));
    expect(complementsOf(cart, Uint32Array.of(3, 4), 1).indices).toEqual(Uint32Array.of(5));
  });

  it("use the whole cart: the tin completes two baking products and one drink", () => {
    expect(complementsOf(cart, Uint32Array.of(3, 0, 1), 1).indices).toEqual(Uint32Array.of(2));
  });

  it("do not depend on the order of the cart or on repeated products", () => {
    const plain = complementsOf(cart, Uint32Array.of(0, 3), 5);
    expect(complementsOf(cart, Uint32Array.of(3, 0, 3), 5)).toEqual(plain);
  });

  it("are empty for an empty cart and for unknown products", () => {
    expect(complementsOf(cart, new Uint32Array(0), 5).indices).toHaveLength(0);
    expect(complementsOf(cart, Uint32Array.of(7, 900), 5).indices).toHaveLength(0);
  });

  it("prefer products of heavier baskets", () => {
    const lists = [
      [0, 1],
      [0, 1],
      [0, 2],
      [0, 2],
    ];
    const weighted = (...weights: number[]) =>
      fitCartComplements(rowsFrom(lists), 3, { basketWeights: Float32Array.from(weights) });
    expect([...complementsOf(weighted(1, 1, 0.1, 0.1), Uint32Array.of(0), 2).indices]).toEqual([1, 2]);
    expect([...complementsOf(weighted(0.1, 0.1, 1, 1), Uint32Array.of(0), 2).indices]).toEqual([2, 1]);
  });

  it("are learned from the last baskets when there are too many", () => {
    const lists = [
      [0, 1],
      [0, 1],
      [0, 2],
      [0, 2],
    ];
    const few = fitCartComplements(rowsFrom(lists), 3, { maxBaskets: 2 });
    expect([...complementsOf(few, Uint32Array.of(0), 2).indices]).toEqual([2]);
  });

  it("are not learned from baskets of one product", () => {
    const lonely = fitCartComplements(rowsFrom([[0], [0], [1, 1], []]), 2);
    expect(lonely.baskets.items).toHaveLength(0);
    expect(complementsOf(lonely, Uint32Array.of(0), 2).indices).toHaveLength(0);
  });

  it("are never in the cart, have falling scores, and are the first k of the longer answer", () => {
    fc.assert(
      fc.property(anyBaskets, anyCart, fc.nat(6), (lists, items, k) => {
        const fitted = fitCartComplements(rowsFrom(lists), 8);
        const all = complementsOf(fitted, items, 100);
        for (const item of items) expect(all.indices).not.toContain(item);
        expect(new Set(all.indices).size).toBe(all.indices.length);
        expect([...all.scores]).toEqual([...all.scores].sort((a, b) => b - a));
        const search = createComplementSearch(fitted);
        search(Uint32Array.of(1, 2), 3);
        expect(search(items, k).indices).toEqual(all.indices.slice(0, k));
      }),
    );
  });

  it("have the exact sum of neighbour share and ridge weights as their score", () => {
    fc.assert(
      fc.property(anyBaskets, anyCart, (lists, items) => {
        const fitted = fitCartComplements(rowsFrom(lists), 8);
        const { indices, scores } = complementsOf(fitted, items, 100);
        for (const [i, product] of indices.entries()) {
          const { counts } = explainComplement(fitted, items, product)!;
          expect(counts.neighbour_share! + counts.ridge!).toBeCloseTo(scores[i]!, 9);
        }
      }),
    );
  });
});

describe("the explanation of a complement", () => {
  const cart = fitCartComplements(rowsFrom(KITCHEN), 7);

  it("names the cart products behind it and the baskets that hold both", () => {
    const explained = explainComplement(cart, Uint32Array.of(0, 1), 2)!;
    expect([...explained.becauseOf].sort()).toEqual([0, 1]);
    expect(explained.counts).toMatchObject({ neighbours: 6, pair_count: 6 });
    expect(explained.counts.neighbour_share).toBeGreaterThan(0.8);
  });

  it("is empty for products in the cart, unsupported ones and unknown ones", () => {
    for (const product of [0, 5, 700]) expect(explainComplement(cart, Uint32Array.of(0, 1), product)).toBeUndefined();
  });
});

describe("neighbourhoodRidge", () => {
  it("solves the system worked out by hand", () => {
    // Two baskets with 0 and 1, one with 0 and 2; lambda 1. For 1: G of (0, 2) = [[3, 1], [1, 1]], g = (2, 0), so
    // (4 w0 + w2 = 2, w0 + 2 w2 = 0): w0 = 4/7, w2 = -2/7. Only neighbours met together with 1 take part: 0 alone,
    // 4 w0 = 2.
    const { products, weights } = neighbourhoodRidge(
      rowsFrom([
        [0, 1],
        [0, 1],
        [0, 2],
      ]),
      Float32Array.of(1, 1, 1),
      3,
      { lambda: 1, neighbours: 2, maxProducts: 3 },
    );
    expect([...rowOf(products, 1)]).toEqual([0]);
    expect([...rowOf(products, 0)]).toEqual([1, 2]);
    expect(weights[0]).toBeCloseTo(2 / 4, 6);
  });

  it("leaves the least ordered products out when there are too many", () => {
    const { products } = neighbourhoodRidge(
      rowsFrom([
        [0, 1],
        [0, 1],
        [0, 2],
      ]),
      Float32Array.of(1, 1, 1),
      3,
      {
        lambda: 1,
        neighbours: 2,
        maxProducts: 2,
      },
    );
    expect([[...rowOf(products, 0)], [...rowOf(products, 1)], [...rowOf(products, 2)]]).toEqual([[1], [0], []]);
  });

  it("satisfies the equations of every product's neighbourhood", () => {
    fc.assert(
      fc.property(anyBaskets, (lists) => {
        const distinct = lists.map((list) => [...new Set(list)]);
        const { products, weights } = neighbourhoodRidge(
          rowsFrom(distinct),
          new Float32Array(lists.length).fill(1),
          8,
          { lambda: 2, neighbours: 8, maxProducts: 8 },
        );
        const both = (a: number, b: number) => distinct.filter((list) => list.includes(a) && list.includes(b)).length;
        for (let to = 0; to < 8; to++) {
          const near = [...Array(8).keys()].filter((i) => i !== to && both(i, to) > 0);
          const weight = (from: number) => weights[products.offsets[from]! + rowOf(products, from).indexOf(to)]!;
          for (const a of near) {
            const left = near.reduce((sum, b) => sum + (both(a, b) + (a === b ? 2 : 0)) * weight(b), 0);
            expect(left).toBeCloseTo(both(a, to), 3);
          }
        }
      }),
    );
  });
});

describe("encoded cart complements", () => {
  it("answer the same after decoding", () => {
    fc.assert(
      fc.property(anyBaskets, anyCart, (lists, items) => {
        const fitted = fitCartComplements(rowsFrom(lists), 8);
        const decoded = decodeCartComplements(encodeCartComplements(fitted));
        expect(decoded).toEqual(fitted);
        expect(complementsOf(decoded, items, 5)).toEqual(complementsOf(fitted, items, 5));
      }),
    );
  });

  it("are rejected in another format, with a missing part, or with rows of wrong length", () => {
    const section = encodeCartComplements(fitCartComplements(rowsFrom(KITCHEN), 7));
    expect(() => decodeCartComplements({ ...section, formatNumber: 0 })).toThrow("format 0");
    const { idf: _, ...others } = section.arrays;
    expect(() => decodeCartComplements({ ...section, arrays: others })).toThrow("idf");
    expect(() => decodeCartComplements({ ...section, numbers: { ...section.numbers, productCount: 9 } })).toThrow(
      "postingOffsets",
    );
  });
});
