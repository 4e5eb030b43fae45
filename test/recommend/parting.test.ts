import { describe, expect, it } from "vitest";
import { leftToAlternative } from "../../src/recommend/parting.js";
import type { Catalog } from "../../src/recommend/selection.js";
import { bareProduct } from "../fixtures/bare-product.js";

/** Products of the category of their first letter; those that begin with a dash have none. */
const shopProduct = (productId: string) =>
  bareProduct(productId, {
    categories: productId.startsWith("-") ? [] : [{ categoryId: productId[0] ?? "", name: "" }],
  });
const catalog: Pick<Catalog, "get"> = { get: shopProduct };

const left = (viewed: string[], alternatives: string[], recommended: string[] = []) => [
  ...leftToAlternative(viewed.map(shopProduct), alternatives, (productId) => recommended.indexOf(productId), catalog),
];

describe("what is left to alternative", () => {
  it("is of the category of what is viewed", () => {
    expect(left(["tent1"], ["tent2", "pegs1", "tent3"], ["tent2", "tent3", "pegs1"])).toEqual(["tent2", "tent3"]);
  });

  it("is what stands no later there where categories tell nothing", () => {
    expect(left(["-a"], ["-b", "-c", "-d"], ["-c", "-b", "-e", "-d"])).toEqual(["-b", "-d"]);
  });

  it("is not what stands in recommended alone, nor what does not stand there at all", () => {
    expect(left(["-a"], ["-b"], ["-c"])).toEqual([]);
  });
});
