import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import {
  type BlendJudgement,
  type BlendQuestion,
  learnBlend,
  placeWorth,
} from "../../../src/learning/rank/source-blend.js";
import { RUNS } from "../../fixtures/runs.js";

const PRODUCTS = 60;
const NONE: ReadonlySet<number> = new Set();
const worth = ({ hitRate, reciprocalRank }: BlendJudgement) => hitRate + reciprocalRank;

/** Sources that put the answer somewhere among their first places, as often as `known` says, the rest by chance. */
function questionsOf(count: number, known: readonly number[], seed = 1): BlendQuestion[] {
  const random = createRandom(seed);
  const drawn = () => Math.floor(random() * PRODUCTS);
  return Array.from({ length: count }, (_, n) => {
    const answer = drawn();
    const proposals = known.map((share) => {
      const list = new Set(Array.from({ length: 25 }, drawn));
      list.delete(answer);
      const products = [...list];
      if (random() < share) products.splice(Math.floor(random() * 8), 0, answer);
      return Uint32Array.from(products);
    });
    return { proposals, answer, excluded: NONE, kind: n % 2, unit: n };
  });
}

const learn = (questions: readonly BlendQuestion[], sources: number) => {
  const learned = learnBlend(questions, sources, 2);
  if (learned === undefined) throw new Error("nothing was learned");
  return learned;
};

describe("a learned blend", () => {
  it("beats each of two sources that know different answers", () => {
    const { judged, singles, choice } = learn(questionsOf(600, [0.6, 0.6]), 2);
    expect(choice).not.toBe("single");
    for (const single of singles) expect(worth(judged)).toBeGreaterThan(worth(single) + 0.05);
  });

  it("gives a source of noise almost no weight", () => {
    const { weights } = learn(questionsOf(600, [0.8, 0.5, 0]), 3);
    for (const [first, second, noise] of weights) {
      expect(first).toBe(1);
      expect(second).toBeGreaterThan(0.2);
      expect(noise).toBeLessThan(0.1);
    }
  });

  it("says by how much it has more hits than each source alone, with an interval", () => {
    const { judged, singles, gains } = learn(questionsOf(600, [0.8, 0]), 2);
    for (const [source, { value, low, high }] of gains.entries()) {
      expect(value).toBeCloseTo(judged.hitRate - singles[source]!.hitRate, 9);
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
    }
    expect(gains[1]!.low).toBeGreaterThan(0.2);
    expect(Math.abs(gains[0]!.value)).toBeLessThan(0.1);
  });

  it("is the best single source where the others are noise", () => {
    const { judged, singles } = learn(questionsOf(300, [0, 0.7, 0]), 3);
    expect(worth(judged)).toBeGreaterThanOrEqual(worth(singles[1]!));
  });

  it("is replaced by the best single source where it loses more on further questions than it gains", () => {
    const questions = questionsOf(400, [0.7, 0.4]);
    const others = Uint32Array.from({ length: 20 }, (_, i) => i + 1);
    const further = questions.map((question) => ({
      ...question,
      answer: 0,
      proposals: [Uint32Array.of(0, ...others), others],
    }));
    expect(learn(questions, 2).choice).not.toBe("single");
    const { choice, weights } = learnBlend(questions, 2, 2, further) ?? {};
    expect(choice).toBe("single");
    expect(weights?.flat()).toEqual([1, 0, 1, 0]);
  });

  it("is the same for the same questions", () => {
    expect(learn(questionsOf(200, [0.7, 0.3]), 2)).toEqual(learn(questionsOf(200, [0.7, 0.3]), 2));
  });

  it("ranks an answer that several sources propose before what one proposes", () => {
    expect(placeWorth(1)).toBeGreaterThan(placeWorth(2));
    expect(placeWorth(2) + placeWorth(2)).toBeGreaterThan(placeWorth(1));
  });

  it("skips excluded products", () => {
    const question = (unit: number): BlendQuestion => ({
      proposals: [Uint32Array.of(7, 8, 9)],
      answer: 9,
      excluded: new Set([7, 8]),
      kind: 0,
      unit,
    });
    expect(
      learn(
        Array.from({ length: 9 }, (_, n) => question(n)),
        1,
      ).judged,
    ).toEqual({ hitRate: 1, reciprocalRank: 1 });
  });

  it("is not learned where no source ever proposes the answer", () => {
    expect(learnBlend(questionsOf(40, [0, 0]), 2, 2)).toBeUndefined();
    expect(learnBlend([], 2, 2)).toBeUndefined();
  });

  it("is never worse than the best single source on its questions, with weights from 0 to 1", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), shares, fc.nat(), (count, known, seed) => {
        const learned = learnBlend(questionsOf(count, known, seed), known.length, 2);
        if (learned === undefined) return;
        expect(worth(learned.judged)).toBeGreaterThanOrEqual(Math.max(...learned.singles.map(worth)));
        for (const weight of learned.weights.flat()) {
          expect(Number.isFinite(weight)).toBe(true);
          expect(weight).toBeGreaterThanOrEqual(0);
          expect(weight).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: RUNS.some },
    );
  });
});
