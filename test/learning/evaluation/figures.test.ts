import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJudge, ndcg10, standings } from "../../../src/learning/evaluation/figures.js";
import type { Question } from "../../../src/learning/evaluation/questions.js";

const question = (wanted: readonly number[], more: Partial<Question> = {}): Question => ({
  steps: [],
  current: undefined,
  now: 0,
  wanted: new Set(wanted),
  next: undefined,
  excluded: new Set(),
  length: 1,
  ...more,
});
const evenly = Float64Array.from({ length: 10 }, () => 0.5);

describe("the figures of a ranking", () => {
  it("are 1 for a perfect predictor", () => {
    const judge = createJudge(evenly);
    judge.take([4, 5], question([4, 5], { next: 4 }));
    judge.take([7], question([7]));
    const perfect = { hit_rate_20: 1, reciprocal_rank_20: 1, recall_20: 1, average_precision_20: 1 };
    expect(judge.figures()).toMatchObject(perfect);
  });

  it("follow from ranks: next at 3, two of three wanted at 1 and 3", () => {
    const judge = createJudge(evenly);
    judge.take([1, 9, 2], question([1, 2, 3], { next: 2 }));
    expect(judge.figures()).toEqual({
      hit_rate_20: 1,
      reciprocal_rank_20: 1 / 3,
      recall_20: 2 / 3,
      average_precision_20: (1 / 1 + 2 / 3) / 3,
      coverage_20: 0.3,
      shown_popularity: 0.5,
      wanted_popularity: 0.5,
    });
  });

  it("count any wanted product as a hit where no next one is named", () => {
    const judge = createJudge(evenly);
    judge.take([9, 3], question([1, 3]));
    expect(judge.figures().reciprocal_rank_20).toBe(1 / 2);
  });

  it("split the questions by how much was known", () => {
    const judge = createJudge(evenly);
    for (const length of [1, 2, 3, 4, 9, 10, 200]) judge.take([1], question([length > 4 ? 1 : 2], { length }));
    const parts = judge
      .byHistory()
      .map(({ least, most, queries, figures }) => [least, most, queries, figures.hit_rate_20]);
    expect(parts).toEqual([
      [1, 1, 1, 0],
      [2, 2, 1, 0],
      [3, 4, 2, 0],
      [5, 9, 1, 1],
      [10, 0, 2, 1],
    ]);
  });

  it("lie between 0 and 1 for any lists", () => {
    const list = fc.uniqueArray(fc.nat(9), { maxLength: 10 });
    fc.assert(
      fc.property(fc.array(fc.tuple(list, fc.uniqueArray(fc.nat(9), { minLength: 1 })), { minLength: 1 }), (pairs) => {
        const judge = createJudge(evenly);
        for (const [shown, wanted] of pairs) judge.take(shown, question(wanted));
        for (const value of Object.values(judge.figures())) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe("NDCG@10", () => {
  it("is 1 for the best order, also with fewer wanted than places", () => {
    expect(ndcg10([1, 2, 9], new Set([1, 2]))).toBe(1);
  });

  it("discounts a product at place 2 by the logarithm of 3", () => {
    expect(ndcg10([9, 1], new Set([1]))).toBeCloseTo(1 / Math.log2(3));
  });
});

describe("standings", () => {
  it("give equal products one rank, the least popular the lowest", () => {
    expect([...standings(Float32Array.of(0, 5, 0, 9))]).toEqual([0.25, 0.625, 0.25, 0.875]);
  });
});
