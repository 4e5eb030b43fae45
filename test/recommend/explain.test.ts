import { describe, expect, it } from "vitest";
import type { Product } from "../../src/domain/product.js";
import { type Candidates, NO_CANDIDATES } from "../../src/learning/common/candidates.js";
import type { ServingModel, Source, SourceQuery } from "../../src/learning/sources/source.js";
import { type Explained, explain } from "../../src/recommend/explain.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { passedOver, unexpectedFailure } from "../fixtures/failures.js";

// The shop: p0 … p5, most popular first; p5 was never met. Rules lead from p0 to p1, texts of p0 and p2 are alike.
const IDS = ["p0", "p1", "p2", "p3", "p4", "p5"];
const products = (...ids: readonly string[]): Product[] => ids.map((id) => bareProduct(id));

function proposing(indices: readonly number[]): Candidates {
  return { indices: Uint32Array.from(indices), scores: Float64Array.from(indices, (_, i) => 1 / (i + 1)) };
}

const rules: Source = {
  name: "association_rules",
  complements: (_query, k) => proposing([4, 1].slice(0, k)),
  alternatives: () => NO_CANDIDATES,
  explain: (_query, _list, product) =>
    product === 1 ? { becauseOf: [0], counts: { pair_count: 7, lift: 2 } } : undefined,
};
const texts: Source = {
  name: "semantic",
  complements: () => NO_CANDIDATES,
  alternatives: () => proposing([2]),
  explain: () => ({ becauseOf: [0], counts: { similarity: 0.5 } }),
};

function modelOf(sources: readonly Source[]): ServingModel {
  const indexOf = new Map(IDS.map((id, index) => [id, index]));
  return {
    modelId: "m1",
    productIds: IDS,
    indexOf: (productId) => indexOf.get(productId),
    sources,
    byPopularity: Uint32Array.from(IDS.keys()),
    popularity: Float32Array.of(9, 5, 4, 3, 2, 0),
  };
}

const none = new Uint32Array(0);
const QUERY: SourceQuery = {
  session: { items: none, weights: new Float32Array(0), runs: none },
  antecedents: none,
  basket: none,
  hasCart: false,
  anchor: none,
};
const WEIGHTS = { association_rules: 1, semantic: 1, collaborative: 0, cart: 0, popularity: 0 };

function reasons(shown: readonly Product[], more: Partial<Explained> = {}, reportFailure = unexpectedFailure) {
  const explained: Explained = {
    narrowing: undefined,
    live: new Map(),
    pinned: new Set(),
    ready: undefined,
    boosts: undefined,
    explored: new Map(),
    model: modelOf([rules, texts]),
    query: QUERY,
    list: "recommended",
    blended: { indices: Uint32Array.of(1), scores: Float64Array.of(1.5) },
    weights: WEIGHTS,
    candidateCount: 200,
    within: undefined,
    ...more,
  };
  return explain(shown, explained, reportFailure);
}

describe("the reason of a product", () => {
  it("names the source, the rank there, the products that led to it and the counts", () => {
    expect(reasons(products("p1"))).toEqual([
      {
        productId: "p1",
        isPinned: false,
        boosts: [],
        exploration: 0,
        score: 1.5,
        shares: [
          { source: "association_rules", score: 0.5, rank: 2, becauseOf: ["p0"], counts: { pair_count: 7, lift: 2 } },
        ],
      },
    ]);
  });

  it("comes from the sources of its own list", () => {
    expect(reasons(products("p2"), { list: "alternative" })[0]?.shares).toEqual([
      { source: "semantic", score: 1, rank: 1, becauseOf: ["p0"], counts: { similarity: 0.5 } },
    ]);
  });

  it("adds popularity to a proposal that no product of the visitor led to", () => {
    expect(reasons(products("p4"))[0]?.shares.map(({ source, rank }) => [source, rank])).toEqual([
      ["association_rules", 1],
      ["popularity", 5],
    ]);
  });

  it("is popularity for a product of the fallback, with its rank in the category when that decided", () => {
    const within = new Set(["p3", "p2", "p5"]);
    const shares = reasons(products("p3", "p0"), { within }).flatMap((reason) => reason.shares);
    expect(shares).toEqual([
      { source: "popularity", score: 3, rank: 4, becauseOf: [], counts: { rank_within: 2 } },
      { source: "popularity", score: 9, rank: 1, becauseOf: [], counts: {} },
    ]);
  });

  it("exists for a product that the model does not know, and before the first model", () => {
    const unknown = [{ source: "popularity", score: 0, rank: 0, becauseOf: [], counts: {} }];
    expect(reasons(products("new"))).toEqual([
      { productId: "new", score: 0, shares: unknown, isPinned: false, boosts: [], exploration: 0 },
    ]);
    const before = { model: undefined, query: undefined, weights: undefined, blended: undefined };
    expect(reasons(products("p1"), before)).toEqual([
      { productId: "p1", score: 0, shares: unknown, isPinned: false, boosts: [], exploration: 0 },
    ]);
  });

  it("covers candidates as far down as the answer did", () => {
    expect(reasons(products("p1"), { candidateCount: 1 })[0]?.shares.map(({ source }) => source)).toEqual([
      "popularity",
    ]);
  });

  it("leaves out a source that fails", () => {
    const broken: Source = {
      ...texts,
      complements: () => {
        throw new Error("broken");
      },
    };
    const model = modelOf([broken, rules]);
    expect(reasons(products("p1"), { model }, passedOver)[0]?.shares.map(({ source }) => source)).toEqual([
      "association_rules",
    ]);
  });
});
