import { describe, expect, it } from "vitest";
import { besideAlternative } from "../../src/recommend/arrange/two-lists.js";
import type { Proposal } from "../../src/recommend/products/catalog.js";

/** Products are of the category of their first letter; those that begin with a dash have none. */
const categoryOf = (proposal: Proposal) => (/^[a-z]/.test(`${proposal}`) ? `${proposal}`.charCodeAt(0) : undefined);

const beside = (viewed: string[], alternatives: string[], proposals: string[], together: string[] = []) => [
  ...besideAlternative(proposals, viewed, alternatives, categoryOf, (proposal) => together.includes(`${proposal}`)),
];

describe("recommended beside alternative", () => {
  it("omits the current category's products that alternative shows", () => {
    expect(beside(["tent1"], ["tent2", "pegs1"], ["tent2", "pegs1", "rope"])).toEqual(["pegs1", "rope"]);
  });

  it("has the rest of that category last", () => {
    expect(beside(["tent1"], ["tent2"], ["tent3", "pegs1", "tent2"])).toEqual(["pegs1", "tent3"]);
  });

  it("keeps the current product in its place", () => {
    expect(beside(["tent1", "tent2"], ["tent2", "tent3"], ["tent2", "pegs1"])).toEqual(["tent2", "pegs1"]);
  });

  it("keeps products bought together with the current one in their place", () => {
    expect(beside(["tent1"], ["tent2", "tent-mat"], ["tent-mat", "pegs1"], ["tent-mat"])).toEqual([
      "tent-mat",
      "pegs1",
    ]);
  });

  it("keeps all proposals where there are no categories", () => {
    expect(beside(["-a"], ["-b", "-c", "tent1"], ["-b", "tent1"])).toEqual(["-b", "tent1"]);
  });

  it("keeps all proposals where alternative is empty", () => {
    expect(beside(["tent1"], [], ["tent2", "pegs1"])).toEqual(["tent2", "pegs1"]);
  });
});
