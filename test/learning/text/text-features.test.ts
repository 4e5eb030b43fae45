import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitVocabulary, type ProductText, TEXT_FEATURES, textRows } from "../../../src/learning/text/text-features.js";
import { termsOf, wordsOf } from "../../../src/learning/text/text-terms.js";

const product = (title: string, description = "", brand = "", categories: string[] = []): ProductText => ({
  title,
  description,
  brand,
  categories,
});

describe("the word splitter", () => {
  it.each([
    ["reads letters of any script in lower case", "Größe ΤΣΆΝΤΑ Сумка", ["größe", "τσάντα", "сумка"]],
    ["makes compatible characters one (NFKC)", "ﬁne ＷＩＤＥ", ["fine", "wide"]],
    ["joins a letter and its accent", "cafe\u0301", ["café"]],
    ["leaves out tags and entities", "<p class='x'>Tea&nbsp;cup<br/>&#39;blue&#x27;</p>", ["tea", "cup", "blue"]],
    ["keeps a lone less-than sign's text", "size < 5 and > 3", ["size", "5", "and", "3"]],
    ["splits glued sentences", "one pocketWarranty", ["one", "pocket", "warranty"]],
    ["keeps names with a small first letter whole", "iPhone", ["iphone"]],
    ["keeps short numbers and drops codes", "42 mm 1234 8901234567", ["42", "mm", "1234"]],
  ])("%s", (_, text, words) => {
    expect(wordsOf(text, "long")).toEqual(words);
  });

  it("makes n-grams of short fields only", () => {
    expect(termsOf("long", "tea")).toEqual(["tea"]);
    expect(termsOf("short", "tea")).toEqual(["tea", "#<te", "#tea", "#ea>", "#<tea", "#tea>", "#<tea>"]);
  });

  it("makes pairs and triples of scripts without spaces, in any field", () => {
    expect(termsOf("long", "防水帐")).toEqual(["防水帐", "#防水", "#水帐", "#防水帐"]);
  });

  it("does not take a very long run of letters for a word", () => {
    expect(wordsOf("a".repeat(31), "short")).toHaveLength(1);
    expect(termsOf("long", "a".repeat(31))).toEqual([]);
  });
});

describe("TF-IDF rows", () => {
  // A shop with three teas; "tea" stands in all texts, "green" in two.
  const teas = [product("Green tea"), product("Green tea tin"), product("Black tea")];
  const wordsOnly = {
    ...TEXT_FEATURES,
    idfPower: 1,
    lengthShare: 0,
    gramWeight: 0,
    maxGrams: 0,
    minDocuments: 1,
    maxDocumentShare: 1,
  };

  it("weigh a word by its rarity", () => {
    const vocabulary = fitVocabulary(teas, wordsOnly);
    expect(vocabulary.terms).toEqual(["tea", "green", "black", "tin"]);
    const { offsets, columns, values } = textRows(vocabulary, teas);
    expect([...columns.subarray(offsets[0], offsets[1])]).toEqual([0, 1]);
    const tea = 1;
    const green = Math.log(4 / 3) + 1;
    expect(values[0]).toBeCloseTo(tea / Math.hypot(tea, green), 6);
    expect(values[1]).toBeCloseTo(green / Math.hypot(tea, green), 6);
  });

  it("weigh a repeated word only a little more, and words of a longer text less", () => {
    const vocabulary = fitVocabulary([...teas, product("Tea", "leaf leaf leaf water")], {
      ...wordsOnly,
      lengthShare: 1,
      saturation: 1,
    });
    // Titles have (2 + 3 + 2 + 1) / 4 = 2 words on average, the only description 4.
    expect(vocabulary.lengths).toEqual({ short: 2, long: 4 });
    const row = textRows(vocabulary, [product("", "leaf leaf leaf water")]);
    const at = (term: string) => row.values[[...row.columns].indexOf(vocabulary.columnOf(term)!)]!;
    // 3 times of 4 words: 3 * 2 / (3 + 1) against 1 * 2 / (1 + 1).
    expect(at("leaf") / at("water")).toBeCloseTo(1.5, 5);
  });

  it("leave out words of too few and of too many texts", () => {
    const vocabulary = fitVocabulary(teas, { ...wordsOnly, minDocuments: 2, maxDocumentShare: 0.7 });
    expect(vocabulary.terms).toEqual(["green"]);
  });

  it("keep the most frequent words when there are too many", () => {
    expect(fitVocabulary(teas, { ...wordsOnly, maxWords: 2 }).terms).toEqual(["tea", "green"]);
  });

  it("do not count a brand that the title contains", () => {
    const vocabulary = fitVocabulary([product("Acme tea", "", "Acme"), product("Tea", "", "Acme")], {
      ...wordsOnly,
      brandWeight: 1,
    });
    const { values } = textRows(vocabulary, [product("Acme tea", "", "ACME"), product("Acme tea")]);
    expect([...values.subarray(0, 2)]).toEqual([...values.subarray(2, 4)]);
  });

  it("have length 1 or are empty, in rising columns, for any texts", () => {
    const text = fc.record({
      title: fc.string({ unit: "grapheme", maxLength: 30 }),
      description: fc.string({ unit: "binary", maxLength: 60 }),
      brand: fc.string({ maxLength: 10 }),
      categories: fc.array(fc.string({ maxLength: 10 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const vocabulary = fitVocabulary(texts, { ...TEXT_FEATURES, minDocuments: 1, maxDocumentShare: 1 });
        const { offsets, columns, values } = textRows(vocabulary, texts);
        for (let r = 0; r < texts.length; r++) {
          const row = values.subarray(offsets[r], offsets[r + 1]);
          const squares = row.reduce((sum, value) => sum + value * value, 0);
          if (row.length > 0) expect(squares).toBeCloseTo(1, 5);
          const places = [...columns.subarray(offsets[r], offsets[r + 1])];
          expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        }
      }),
    );
  });
});
