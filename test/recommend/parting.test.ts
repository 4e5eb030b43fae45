import { describe, expect, it } from "vitest";
import { leftToAlternative } from "../../src/recommend/parting.js";
import { bareProduct } from "../fixtures/bare-product.js";

/** Products of the category of their first letter; those that begin with a dash have none. */
const shopProduct = (productId: string) =>
  bareProduct(productId, {
    categories: productId.startsWith("-") ? [] : [{ categoryId: productId[0] ?? "", name: "" }],
  });

const left = (viewed: string[], alternatives: string[], together: string[] = []) => [
  ...leftToAlternative(viewed.map(shopProduct), alternatives, { get: shopProduct }, (id) => together.includes(id)),
];

describe("what is left to alternative", () => {
  it("is of the category of what is viewed", () => {
    expect(left(["tent1"], ["tent2", "pegs1", "-rope", "tent3"])).toEqual(["tent2", "tent3"]);
  });

  it("is not what is viewed itself", () => {
    expect(left(["tent1", "tent2"], ["tent2", "tent3"])).toEqual(["tent3"]);
  });

  it("is not what is bought together with it", () => {
    expect(left(["tent1"], ["tent2", "tent-footprint"], ["tent-footprint", "pegs1"])).toEqual(["tent2"]);
  });

  it("is nothing where there are no categories", () => {
    expect(left(["-a"], ["-b", "-c", "tent1"])).toEqual([]);
  });
});
