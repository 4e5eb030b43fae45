import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/learning/common/random.js";
import { dailyCounts } from "../../src/learning/sources/popularity/daily-counts.js";
import { createUncertainty, draw, exploringPlaces } from "../../src/recommend/arrange/exploration.js";
import { NOON } from "../fixtures/store.js";
import { ask, IDS, modelOf } from "./frame-shop.js";

/** Twelve products: all but p10 and p11 have a thousand views. */
const KNOWN = {
  ...modelOf(IDS, []),
  daily: dailyCounts(
    {
      productIndices: Uint32Array.from({ length: 10_000 }, (_, i) => i % 10),
      at: new Float64Array(10_000).fill(NOON),
      weights: Float32Array.from({ length: 10_000 }, (_, i) => (i % 50 === 0 ? 5 : 1)),
    },
    IDS.length,
    NOON,
  ),
};

const list = (exploration: number, random: () => number) =>
  ask({ exploration, recommendedCount: 5, alternativeCount: 0 }, {}, { model: KNOWN, random });

describe("a frame that explores", () => {
  it("gives on average its share of the places to other products, and the best ones keep theirs", () => {
    const random = createRandom(1);
    const times = 500;
    const met = new Map<string, number>();
    let explored = 0;
    for (let n = 0; n < times; n++) {
      const { recommended, answer } = list(0.1, random);
      const ids = recommended.split(" ");
      expect(new Set(ids).size).toBe(5);
      expect(ids.slice(0, 4)).toEqual(["p0", "p1", "p2", "p3"]);
      expect(answer.explored.map(({ productId }) => productId)).toEqual(
        answer.explored.length === 0 ? [] : ids.slice(4),
      );
      for (const { productId } of answer.explored) met.set(productId, (met.get(productId) ?? 0) + 1);
      explored += answer.explored.length;
    }
    expect(explored / (5 * times)).toBeCloseTo(0.1, 1);
    const [first, second] = [...met].sort(([, a], [, b]) => b - a);
    expect([first?.[0], second?.[0]].sort()).toEqual(["p10", "p11"]);
  });

  it("says by which probability each product was drawn", () => {
    const random = createRandom(2);
    const times = 2000;
    const seen = new Map<string, number>();
    const said = new Map<string, number>();
    for (let n = 0; n < times; n++)
      for (const { productId, probability } of list(0.1, random).answer.explored) {
        seen.set(productId, (seen.get(productId) ?? 0) + 1);
        said.set(productId, probability);
      }
    expect(seen.size).toBeGreaterThan(1);
    for (const [productId, count] of seen) expect(count / times).toBeCloseTo(said.get(productId)!, 1);
  });

  it("tells the probability in the reason of the product", () => {
    const { answer } = list(0.2, () => 0.5);
    const [drawn] = answer.explored;
    expect(drawn).toBeDefined();
    const reason = answer.recommendedReasons.find(({ productId }) => productId === drawn?.productId);
    expect(reason?.exploration).toBe(drawn?.probability);
    expect(answer.recommendedReasons[0]?.exploration).toBe(0);
  });

  it("explores nothing when its share is 0", () => {
    expect(list(0, () => 0.99).answer.explored).toEqual([]);
  });

  it("fills the places itself when nothing is left to explore", () => {
    const { recommended } = ask(
      { exploration: 0.2, recommendedCount: 12, alternativeCount: 0 },
      {},
      { model: KNOWN, random: () => 0.5 },
    );
    expect(recommended.split(" ").sort()).toEqual([...IDS].sort());
  });
});

describe("a draw", () => {
  it("is from the less known half, in proportion to what is not known", () => {
    const uncertainty = (proposal: number | string) => [4, 1, 3, 2][Number(proposal)]!;
    expect(draw([0, 1, 2, 3], uncertainty, () => 0)).toEqual({ proposal: 0, probability: 4 / 7 });
    expect(draw([0, 1, 2, 3], uncertainty, () => 0.99)).toEqual({ proposal: 2, probability: 3 / 7 });
    expect(draw([], uncertainty, () => 0)).toBeUndefined();
  });

  it("knows less of a product the fewer views it has", () => {
    const uncertainty = createUncertainty(KNOWN);
    expect(uncertainty(10)).toBeGreaterThan(2 * uncertainty(1));
    expect(uncertainty("new")).toBe(uncertainty(10));
  });

  it("has so many places that the share holds on average", () => {
    expect(exploringPlaces(0.1, 8, () => 0.1).places).toBe(0);
    expect(exploringPlaces(0.1, 8, () => 0.3).places).toBe(1);
    expect(exploringPlaces(0.2, 8, () => 0).chanceOf(1)).toBeCloseTo(0.6);
  });
});
