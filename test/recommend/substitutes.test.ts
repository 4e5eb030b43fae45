import { describe, expect, it } from "vitest";
import { ProductTable } from "../../src/recommend/products/product-table.js";
import { createBlender } from "../../src/recommend/rank/blend.js";
import {
  isSubstitute,
  likenessAmong,
  likenessTo,
  sameCategory,
  toReplace,
} from "../../src/recommend/rank/substitutes.js";
import { bareProduct } from "../fixtures/bare-product.js";

const tent = (productId: string, amount: string, currency = "EUR") =>
  bareProduct(productId, {
    categories: [
      { categoryId: "camp", name: "" },
      { categoryId: "tents", name: "" },
    ],
    price: { amount, currency },
  });
const stove = bareProduct("stove", {
  categories: [{ categoryId: "camp", name: "" }],
  price: { amount: "100", currency: "EUR" },
});
const lark = tent("lark", "100");

describe("a substitute", () => {
  it("is in the same deepest category", () => {
    expect(isSubstitute(tent("dome", "100"), lark)).toBe(true);
    expect(isSubstitute(stove, lark)).toBe(false);
    expect(isSubstitute(bareProduct("a"), bareProduct("b"))).toBe(false);
  });

  it("costs from half to double", () => {
    expect(["49.99", "50", "200", "200.01"].map((amount) => isSubstitute(tent("dome", amount), lark))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("is decided by category alone where a price is unknown or of another currency", () => {
    expect(isSubstitute(tent("dome", ""), lark)).toBe(true);
    expect(isSubstitute(tent("dome", "900", "SEK"), lark)).toBe(true);
  });
});

describe("what a product that is newer than the model counts more by", () => {
  it("grows with the category and the price that it shares with the most similar of the wanted ones", () => {
    const wanted = [lark, bareProduct("bare")];
    const counts = [tent("dome", "120"), tent("palace", "900"), tent("bivvy", ""), stove, bareProduct("mug")];
    const [both, dear, unpriced, priced, none] = counts.map((product) => likenessTo(product, wanted));
    expect([dear, none]).toEqual([unpriced, 1]);
    expect(both).toBeGreaterThan(dear ?? 0);
    expect(dear).toBeGreaterThan(priced ?? 0);
    expect(priced).toBeGreaterThan(1);
  });

  it("is the same as that of a product that the model knows", () => {
    const shop = [lark, stove, tent("dome", "120"), tent("palace", "900"), tent("bivvy", "")];
    const table = new ProductTable(
      shop.map(({ productId }) => productId),
      { get: (productId) => shop.find((product) => product.productId === productId) },
    );
    const known = likenessAmong([lark], table);
    expect(shop.map((product) => likenessTo(product, [lark]))).toEqual(shop.map((_, index) => known?.(index)));
  });
});

describe("the alternatives of an answer", () => {
  const shop = [lark, stove, tent("dome", "120"), tent("palace", "900"), tent("bivvy", "")];
  const table = new ProductTable(
    shop.map(({ productId }) => productId),
    { get: (productId) => shop.find((product) => product.productId === productId) },
  );
  const candidates = (scores: readonly number[]) => ({
    indices: Uint32Array.of(1, 2, 3, 4),
    scores: Float64Array.from(scores),
  });
  const prefer = (scores: readonly number[], wanted = [lark]) =>
    createBlender(shop.length)(
      [{ source: "semantic", weight: scores[0]!, by: "score", candidates: candidates(scores) }],
      "alternative",
      likenessAmong(wanted, table),
    );

  it("with equal scores are ordered by category, then by price, then by catalogue order", () => {
    expect([...prefer([1, 1, 1, 1]).indices]).toEqual([2, 3, 4, 1]);
  });

  it("of another category stay before those with far lower scores", () => {
    expect([...prefer([1, 0.5, 0.4, 0.1]).indices][0]).toBe(1);
  });

  it("keep their order and scores when there is no current product to resemble", () => {
    const plain = prefer([4, 3, 2, 1], []);
    expect([[...plain.indices], [...plain.scores]]).toEqual([
      [1, 2, 3, 4],
      [4, 3, 2, 1],
    ]);
  });

  it("resemble the current products, else the last product of the history", () => {
    const catalog = { get: (productId: string) => shop.find((product) => product.productId === productId) };
    const model = { productIds: shop.map(({ productId }) => productId) };
    const asked = { anchor: Uint32Array.of(1) };
    const ids = (current: readonly string[]) => toReplace(current, asked, model, catalog).map((p) => p.productId);
    expect(ids(["dome", "unknown"])).toEqual(["dome"]);
    expect(ids([])).toEqual(["stove"]);
    expect(toReplace([], undefined, undefined, catalog)).toEqual([]);
  });

  it("are filled from the deepest categories", () => {
    const groups = new Map([["tents", new Set(["lark", "dome"])]]);
    const catalog = { group: (groupId: string) => groups.get(groupId) };
    expect(sameCategory([lark, lark], catalog)).toEqual(new Set(["lark", "dome"]));
    expect(sameCategory([stove], catalog)).toBeUndefined();
  });
});
