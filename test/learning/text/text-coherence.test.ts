import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import { COHERENCE, coherenceWeights } from "../../../src/learning/text/text-coherence.js";
import { fitVocabulary, type ProductText, TEXT_FEATURES, textRows } from "../../../src/learning/text/text-features.js";

// Tents and teapots, each in blue and red: "tent" and "teapot" name a kind, "blue" and "red" stand in both.
const KINDS = ["tent poles camp mountain", "teapot leaf porcelain litre"];
const SHOP: ProductText[] = Array.from({ length: 24 }, (_, n) => ({
  title: `${KINDS[n % 2]!} ${n % 4 < 2 ? "blue" : "red"}`,
  description: "",
  brand: "",
  categories: [],
}));
const vocabulary = fitVocabulary(SHOP, { ...TEXT_FEATURES, gramWeight: 0, maxGrams: 0, maxDocumentShare: 1 });
const rows = textRows(vocabulary, SHOP);
const weigh = (params = COHERENCE) => coherenceWeights(rows, params, createRandom(1));
const weightOf = (weights: Float64Array, term: string) => weights[vocabulary.columnOf(term)!]!;

describe("the coherence of terms", () => {
  it("is greater for words of one kind of product than for words of all kinds", () => {
    const weights = weigh();
    for (const kind of ["tent", "poles", "teapot", "leaf"])
      for (const colour of ["blue", "red"])
        expect(weightOf(weights, kind)).toBeGreaterThan(1.2 * weightOf(weights, colour));
  });

  it("is the mean cosine of two texts with the term when all topics are kept", () => {
    const plain = weigh({ topics: 10, shrinkage: 0, power: 1 });
    // Texts of one kind and colour are equal; the two colours of a kind differ in one word.
    const norm = (row: number) => rows.values.subarray(rows.offsets[row], rows.offsets[row + 1]);
    const dot = (a: number, b: number) => {
      const columns = [...rows.columns.subarray(rows.offsets[b], rows.offsets[b + 1])];
      return [...norm(a)].reduce((sum, value, i) => {
        const at = columns.indexOf(rows.columns[rows.offsets[a]! + i]!);
        return at < 0 ? sum : sum + value * norm(b)[at]!;
      }, 0);
    };
    // 12 tents, 6 of each colour: of 132 ordered pairs 60 are of one colour, 72 of two.
    expect(weightOf(plain, "tent")).toBeCloseTo((60 + 72 * dot(0, 2)) / 132, 5);
  });

  it("is the same for all terms with a power of 0", () => {
    expect(new Set(weigh({ ...COHERENCE, power: 0 }))).toEqual(new Set([1]));
  });

  it("is above 0 for terms of no text and of one", () => {
    const few = textRows(vocabulary, SHOP.slice(0, 1));
    const weights = coherenceWeights(few, { ...COHERENCE, shrinkage: 0 }, createRandom(1));
    expect(weights).toHaveLength(vocabulary.terms.length);
    expect(weights.every((weight) => Number.isFinite(weight) && weight > 0)).toBe(true);
  });
});
