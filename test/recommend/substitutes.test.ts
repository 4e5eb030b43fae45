import { describe, expect, it } from "vitest";
import { ProductTable } from "../../src/recommend/product-facts.js";
import { createBlender } from "../../src/recommend/score.js";
import { isSubstitute, likenessAmong, sameCategory, toReplace } from "../../src/recommend/substitutes.js";
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
  it("is of the same narrowest category", () => {
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

  it("is one by its category alone where a price is not known or not to be compared", () => {
    expect(isSubstitute(tent("dome", ""), lark)).toBe(true);
    expect(isSubstitute(tent("dome", "900", "SEK"), lark)).toBe(true);
  });
});

describe("alternatives", () => {
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

  it("of one score are put in order by category, then by price, then as they are in the catalogue", () => {
    expect([...prefer([1, 1, 1, 1]).indices]).toEqual([2, 3, 4, 1]);
  });

  it("of another category stay before those that are far less like what is wanted", () => {
    expect([...prefer([1, 0.5, 0.4, 0.1]).indices][0]).toBe(1);
  });

  it("keep their order and scores when nothing is known that they should resemble", () => {
    const plain = prefer([4, 3, 2, 1], []);
    expect([[...plain.indices], [...plain.scores]]).toEqual([
      [1, 2, 3, 4],
      [4, 3, 2, 1],
    ]);
  });

  it("are wanted to the current products, else to what was met last", () => {
    const catalog = { get: (productId: string) => shop.find((product) => product.productId === productId) };
    const model = { productIds: shop.map(({ productId }) => productId) };
    const asked = { anchor: Uint32Array.of(1) };
    const ids = (current: readonly string[]) => toReplace(current, asked, model, catalog).map((p) => p.productId);
    expect(ids(["dome", "unknown"])).toEqual(["dome"]);
    expect(ids([])).toEqual(["stove"]);
    expect(toReplace([], undefined, undefined, catalog)).toEqual([]);
  });

  it("are filled up from the narrowest categories", () => {
    const groups = new Map([["tents", new Set(["lark", "dome"])]]);
    const catalog = { group: (groupId: string) => groups.get(groupId) };
    expect(sameCategory([lark, lark], catalog)).toEqual(new Set(["lark", "dome"]));
    expect(sameCategory([stove], catalog)).toBeUndefined();
  });
});
