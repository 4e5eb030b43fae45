import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Product } from "../../src/domain/product.js";
import { arrangement, MOST_ARRANGED } from "../../src/recommend/arrange/diversity.js";
import { bareProduct } from "../fixtures/bare-product.js";

type Vectors = (product: Product) => Float32Array | undefined;
const NO_VECTORS: Vectors = () => undefined;

function arranged(
  tiers: readonly (readonly Product[])[],
  diversity: number,
  { count = 4, wanted = 1000, vectorOf = NO_VECTORS }: { count?: number; wanted?: number; vectorOf?: Vectors } = {},
): Product[] {
  return arrangement({ diversity, count, vectorOf })?.arrange(tiers, wanted) ?? tiers.flat();
}

const ids = (products: readonly Product[]) => products.map(({ productId }) => productId).join(" ");
const categories = (...names: string[]) => names.map((categoryId) => ({ categoryId, name: "" }));

/** Products t1 t2 … of the kinds that the letters name: of one kind are those in one category. */
function ofKinds(letters: string): Product[] {
  return Array.from(letters, (letter, i) => bareProduct(`${letter}${i}`, { categories: categories(letter) }));
}

/** Pairs of products of one category among the first `count`. */
function alikePairs(products: readonly Product[], count: number): number {
  const kinds = products.slice(0, count).map((product) => product.categories[0]?.categoryId);
  return kinds.flatMap((kind, i) => kinds.slice(0, i).filter((before) => before === kind)).length;
}

const anyKinds = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 }).map((all) => all.join(""));
const anyDiversity = fc.double({ min: 0, max: 1, noNaN: true });

/** Maximal marginal relevance as its formula says, every likeness reckoned anew. */
function plainly(
  products: readonly Product[],
  diversity: number,
  cosine: (a: Product, b: Product) => number,
): Product[] {
  const left = products.map((product, place) => ({ product, relevance: 1 - place / products.length }));
  const placed: Product[] = [];
  while (left.length > 0) {
    const values = left.map(({ product, relevance }) => {
      const likeness = Math.max(0, ...placed.map((other) => cosine(product, other)));
      return (1 - diversity) * relevance - diversity * likeness;
    });
    const [next] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (next) placed.push(next.product);
  }
  return placed;
}

describe("the diversity of a list", () => {
  it("changes nothing at 0", () => {
    expect(arrangement({ diversity: 0, count: 4, vectorOf: NO_VECTORS })).toBeUndefined();
  });

  // At 0.2 a place costs 0.8 / 6, a like product before it 0.2: more than one place, less than two.
  it("moves an unlike product forward where its rank costs less than the likeness does", () => {
    const tiers = [ofKinds("aaaabc")];
    expect(ids(arranged(tiers, 0.2))).toBe("a0 a1 a2 b4 a3 c5");
    expect(ids(arranged(tiers, 0.5))).toBe("a0 b4 c5 a1 a2 a3");
  });

  it("keeps the first product at any value", () => {
    fc.assert(
      fc.property(anyKinds, anyDiversity, (kinds, diversity) => {
        const products = ofKinds(kinds);
        expect(arranged([products], diversity)[0]).toBe(products[0]);
      }),
    );
  });

  it("never increases the pairs of one kind as the value grows", () => {
    fc.assert(
      fc.property(anyKinds, anyDiversity, anyDiversity, fc.integer({ min: 1, max: 10 }), (kinds, one, other, count) => {
        const pairs = [Math.min(one, other), Math.max(one, other)].map((diversity) =>
          alikePairs(arranged([ofKinds(kinds)], diversity, { count: 10 }), count),
        );
        expect(pairs[1]).toBeLessThanOrEqual(pairs[0]!);
      }),
    );
  });

  it("shows one of each kind first at 1", () => {
    expect(ids(arranged([ofKinds("aabbaac")], 1))).toBe("a0 b2 c6 a1 b3 a4 a5");
  });

  it("keeps the given products, each once", () => {
    fc.assert(
      fc.property(fc.array(anyKinds, { maxLength: 3 }), anyDiversity, (kinds, diversity) => {
        const tiers = kinds.map((letters, t) => ofKinds(letters).map((one) => ({ ...one, sku: `${t}` })));
        const name = ({ sku, productId }: Product) => `${sku} ${productId}`;
        expect(arranged(tiers, diversity).map(name).sort()).toEqual(tiers.flat().map(name).sort());
      }),
    );
  });

  it("moves no product before a better tier, and takes into account what that tier shows", () => {
    const tiers = [ofKinds("aa"), ofKinds("abc").map((one) => ({ ...one, productId: `other ${one.productId}` }))];
    expect(ids(arranged(tiers, 1))).toBe("a0 a1 other b1 other c2 other a0");
  });

  it("gives the same beginning, however many products are asked for", () => {
    fc.assert(
      fc.property(anyKinds, anyDiversity, fc.nat(12), (kinds, diversity, wanted) => {
        const tiers = [ofKinds(kinds), ofKinds("ab")];
        const all = arranged(tiers, diversity || 1);
        expect(arranged(tiers, diversity || 1, { wanted })).toEqual(all.slice(0, wanted));
      }),
    );
  });

  it("leaves products behind five times the list length in place", () => {
    const products = ofKinds(`${"a".repeat(10)}b`);
    expect(ids(arranged([products], 1, { count: 2 }))).toBe(ids(products));
    expect(arranged([products], 1, { count: 3 })[1]).toBe(products[10]);
  });

  it("compares a hundred products at most, however long the list", () => {
    const products = ofKinds(`${"a".repeat(MOST_ARRANGED)}b`);
    expect(ids(arranged([products], 1, { count: 100 }))).toBe(ids(products));
    expect(arrangement({ diversity: 1, count: 100, vectorOf: NO_VECTORS })?.window).toBe(100);
  });
});

describe("the likeness of two products", () => {
  const angle = (degrees: number) => {
    const radians = (degrees * Math.PI) / 180;
    return Float32Array.of(Math.cos(radians), Math.sin(radians), 0, 0, 0);
  };

  it("is the cosine of their vectors, whatever their category", () => {
    const [a, b, c] = [0, 10, 80].map((degrees) => bareProduct(String(degrees), { categories: categories("one") }));
    const vectorOf: Vectors = ({ productId }) => angle(Number(productId));
    expect(ids(arranged([[a!, b!, c!]], 0.6, { vectorOf }))).toBe("0 80 10");
  });

  it("is 0 for opposite vectors", () => {
    const products = ["east", "north", "west"].map((name) => bareProduct(name));
    const vectors = { east: [1, 0], north: [0, 1], west: [-1, 0] };
    const vectorOf: Vectors = ({ productId }) =>
      Float32Array.from(Object.entries(vectors).find(([name]) => name === productId)?.[1] ?? []);
    expect(ids(arranged([products], 1, { vectorOf }))).toBe("east north west");
  });

  it("depends on category and brand where one has no vector", () => {
    const first = bareProduct("first", { categories: categories("top", "x"), brand: "b" });
    const both = bareProduct("both", { categories: categories("top", "x"), brand: "b" });
    const brand = bareProduct("brand", { categories: categories("top", "y"), brand: "b" });
    const neither = bareProduct("neither", { categories: categories("top", "z"), brand: "c" });
    const vectorOf: Vectors = ({ productId }) => (productId === "first" ? angle(0) : undefined);
    expect(ids(arranged([[first, both, brand, neither]], 1, { vectorOf }))).toBe("first neither brand both");
  });

  it("gives the order of the formula, for any vectors", () => {
    const anyVector = fc
      .array(fc.integer({ min: -3, max: 3 }), { minLength: 5, maxLength: 5 })
      .filter((numbers) => numbers.some((one) => one !== 0))
      .map((numbers) => Float32Array.from(numbers, (one) => one / Math.hypot(...numbers)));
    fc.assert(
      fc.property(fc.array(anyVector, { maxLength: 20 }), anyDiversity, (vectors, diversity) => {
        const products = vectors.map((_, i) => bareProduct(String(i)));
        const of = ({ productId }: Product) => vectors[Number(productId)]!;
        // In the order of the sums under test: the last bits decide between products that are equally good.
        const cosine = (a: Product, b: Product) => {
          const terms = Array.from(of(a), (value, d) => value * of(b)[d]!);
          return terms[0]! + terms[4]! + terms[1]! + terms[2]! + terms[3]!;
        };
        const found = arranged([products], diversity || 1, { vectorOf: of });
        expect(ids(found)).toBe(ids(plainly(products, diversity || 1, cosine)));
      }),
    );
  });
});
