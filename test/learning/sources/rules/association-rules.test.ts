import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import {
  associationRules,
  createRuleExplainer,
  decodeRules,
  encodeRules,
  type Rules,
  recommendFromRules,
} from "../../../../src/learning/sources/rules/association-rules.js";

// A stationer with 0 pencil, 1 sharpener, 2 rubber, 3 notebook, 4 stamp. Ten baskets:
// pencils in 6, sharpeners in 4 (3 of them with a pencil), stamps alone, notebooks in 6 with everything.
const STATIONER = [[0, 1], [0, 1], [0, 1, 3], [0, 2, 3], [0, 2], [0, 3], [1, 3], [4], [4, 3], [3]];

const rulesOf = (rules: Rules, row: number) =>
  [...rowOf({ offsets: rules.offsets, items: rules.consequents }, row)].map((consequent, i) => [
    consequent,
    rules.counts[rules.offsets[row]! + i],
  ]);

const anyBaskets = fc.array(fc.array(fc.nat(7), { maxLength: 8 }), { maxLength: 20 });
const anyVisit = fc.array(fc.nat(9), { maxLength: 6 }).map((items) => Uint32Array.from(items));

describe("association rules", () => {
  const rules = associationRules(rowsFrom(STATIONER), 5, { minPairCount: 2, minLift: 1 });

  it("count baskets and products", () => {
    expect([rules.basketCount, [...rules.productCounts]]).toEqual([10, [6, 4, 2, 6, 2]]);
  });

  it("keep pairs that occur more often than by chance, strongest first", () => {
    // pencil → sharpener: 3 of 6, lift 1.25; pencil → rubber: 2 of 6, lift 1.67; pencil → notebook: 3 of 6, lift 0.83.
    expect(rulesOf(rules, 0)).toEqual([
      [1, 3],
      [2, 2],
    ]);
    expect(rulesOf(rules, 4)).toEqual([]);
  });

  it("keep pairs that occur less often than by chance only on request", () => {
    const every = rulesOf(associationRules(rowsFrom(STATIONER), 5, { minLift: 0 }), 0);
    expect(every).toHaveLength(3);
    expect(every).toContainEqual([3, 3]);
  });

  it("leave out pairs below the minimum count", () => {
    expect(rulesOf(associationRules(rowsFrom(STATIONER), 5, { minPairCount: 3, minLift: 1 }), 0)).toEqual([[1, 3]]);
  });

  it("leave out pairs that are not significant", () => {
    // pencil and sharpener: 3 of 10 by chance in 19 of 42 draws; pencil and rubber: 2 in 1 of 3.
    expect(rulesOf(associationRules(rowsFrom(STATIONER), 5, { minPairCount: 2, maxChance: 0.4 }), 0)).toEqual([[2, 2]]);
    expect(rulesOf(associationRules(rowsFrom(STATIONER), 5, { minPairCount: 2, maxChance: 0.3 }), 0)).toEqual([]);
  });

  it("keep no more consequents than asked for", () => {
    expect(rulesOf(associationRules(rowsFrom(STATIONER), 5, { minLift: 1, maxConsequents: 1 }), 0)).toEqual([[1, 3]]);
  });

  it("read only the first products of a basket, up to the limit", () => {
    const long = [Array.from({ length: 300 }, (_, i) => i), Array.from({ length: 300 }, (_, i) => i), [299], [299]];
    const limited = associationRules(rowsFrom(long), 300, { maxBasketLength: 3, maxConsequents: 300 });
    expect([...limited.productCounts.slice(0, 5), limited.productCounts[299]]).toEqual([2, 2, 2, 0, 0, 2]);
    expect(rulesOf(limited, 0).map(([consequent]) => consequent)).toEqual([2, 1]);
  });

  it("reject a product index past the catalogue", () => {
    expect(() => associationRules(rowsFrom([[0, 5]]), 5)).toThrow("productCount");
  });

  it("are empty for no baskets", () => {
    const none = associationRules(rowsFrom([]), 3);
    expect(recommendFromRules(none, Uint32Array.of(0, 1), 5).indices).toHaveLength(0);
  });

  it("have for every pair the counts of the baskets", () => {
    fc.assert(
      fc.property(anyBaskets, (lists) => {
        const found = associationRules(rowsFrom(lists), 8, { minLift: 1 });
        const holding = (...set: number[]) => lists.filter((list) => set.every((p) => list.includes(p))).length;
        for (let a = 0; a < 8; a++) {
          const expected = [];
          for (let c = 0; c < 8; c++) {
            const both = holding(a, c);
            if (c !== a && both * lists.length > holding(a) * holding(c)) expected.push([c, both]);
          }
          expect(rulesOf(found, a).sort((x, y) => x[0]! - y[0]!)).toEqual(expected);
        }
      }),
    );
  });
});

// A pharmacy with 0 tea, 1 honey, 2 lemon, 3 plaster: lemon goes with tea and honey together, never with one alone.
const PHARMACY = [
  ...Array.from({ length: 20 }, () => [0, 1, 2]),
  ...Array.from({ length: 40 }, () => [0, 3]),
  ...Array.from({ length: 40 }, () => [1]),
  ...Array.from({ length: 60 }, () => [3]),
];

describe("rules of two products", () => {
  it("are found when they say more than either half", () => {
    const rules = associationRules(rowsFrom(PHARMACY), 4);
    const row = rules.productCount;
    expect([[...rules.pairSeconds], [...rules.pairCounts]]).toEqual([[1], [20]]);
    expect([[...rules.pairOffsets], rulesOf(rules, row)]).toEqual([[0, 1, 1, 1, 1], [[2, 20]]]);
  });

  it("explain a product with both antecedents", () => {
    const rules = associationRules(rowsFrom(PHARMACY), 4);
    expect(createRuleExplainer(rules, Uint32Array.of(1, 0))(2)).toEqual({
      becauseOf: [1, 0],
      counts: {
        pair_count: 20,
        antecedent_count: 20,
        support: 0.125,
        confidence: 1,
        lift: 8,
        chance: expect.closeTo(0, 14),
        rules: 3,
      },
    });
  });

  it("do not rank first when too few baskets support them", () => {
    // Two baskets hold all three; lemon is in six of the ten with honey.
    const few = [
      [0, 1, 2],
      [0, 1, 2],
      ...Array.from({ length: 4 }, () => [1, 2]),
      ...Array.from({ length: 84 }, () => [3]),
    ];
    const explained = createRuleExplainer(
      associationRules(rowsFrom(few), 4, { minTripleCount: 2 }),
      Uint32Array.of(1, 0),
    )(2);
    expect(explained?.becauseOf).toEqual([1]);
  });

  it("are left out when minTripleCount is 0", () => {
    expect(associationRules(rowsFrom(PHARMACY), 4, { minTripleCount: 0 }).pairSeconds).toHaveLength(0);
  });

  it("are searched among fewer sets when there are more than maxItemsets", () => {
    // 20 baskets hold the triple; the least count doubles from 5 to 40 before the search stays below 6 sets.
    expect(associationRules(rowsFrom(PHARMACY), 4, { maxItemsets: 5 }).pairSeconds).toHaveLength(0);
  });
});

describe("recommendFromRules", () => {
  const rules = associationRules(rowsFrom(STATIONER), 5, { minLift: 1 });

  it("proposes what goes with the visitor's products, strongest first, with falling scores", () => {
    const { indices, scores } = recommendFromRules(rules, Uint32Array.of(0), 5);
    expect([...indices]).toEqual([1, 2]);
    expect(scores[0]).toBeGreaterThan(scores[1]!);
  });

  it("proposes first what the first of two products supports", () => {
    // 0 and 1 are bought together, 2 and 3 just as often.
    const twins = associationRules(rowsFrom([[0, 1], [0, 1], [2, 3], [2, 3], [4], [4]]), 5);
    expect([...recommendFromRules(twins, Uint32Array.of(0, 2), 5).indices]).toEqual([1, 3]);
    expect([...recommendFromRules(twins, Uint32Array.of(2, 0), 5).indices]).toEqual([3, 1]);
  });

  it("breaks ties by falling product index, in any order, when nothing decays", () => {
    const twins = associationRules(rowsFrom([[0, 1], [0, 1], [2, 3], [2, 3], [4], [4]]), 5);
    for (const visit of [
      [0, 2],
      [2, 0],
    ]) {
      expect([...recommendFromRules(twins, Uint32Array.from(visit), 5, 1).indices]).toEqual([3, 1]);
    }
  });

  it("returns the first k of the longer answer, never a query product, and explains each", () => {
    fc.assert(
      fc.property(anyBaskets, anyVisit, fc.nat(5), (lists, visit, k) => {
        const found = associationRules(rowsFrom(lists), 8, { minLift: 1, minTripleCount: 1 });
        const all = recommendFromRules(found, visit, 100);
        expect(recommendFromRules(found, visit, k).indices).toEqual(all.indices.slice(0, k));
        for (let product = 0; product < 8; product++) {
          const explained = createRuleExplainer(found, visit)(product);
          expect(explained !== undefined).toBe(all.indices.includes(product));
          if (explained === undefined) continue;
          expect(visit).not.toContain(product);
          const [both, left] = [explained.counts.pair_count!, explained.counts.antecedent_count!];
          const holding = (set: readonly number[]) => lists.filter((list) => set.every((p) => list.includes(p))).length;
          expect([both, left]).toEqual([holding([...explained.becauseOf, product]), holding(explained.becauseOf)]);
          expect(explained.counts.lift).toBeGreaterThan(1);
        }
      }),
    );
  });
});

describe("encoded rules", () => {
  it("answer the same after decoding", () => {
    fc.assert(
      fc.property(anyBaskets, anyVisit, (lists, visit) => {
        const found = associationRules(rowsFrom(lists), 8, { minTripleCount: 1 });
        const decoded = decodeRules(encodeRules(found));
        expect(decoded).toEqual(found);
        expect(recommendFromRules(decoded, visit, 10)).toEqual(recommendFromRules(found, visit, 10));
      }),
    );
  });

  it("are rejected in another format, with a missing array, or with rows of wrong length", () => {
    const section = encodeRules(associationRules(rowsFrom(STATIONER), 5));
    expect(() => decodeRules({ ...section, formatNumber: 2 })).toThrow("format 2");
    const { counts: _, ...others } = section.arrays;
    expect(() => decodeRules({ ...section, arrays: others })).toThrow("counts");
    expect(() => decodeRules({ ...section, numbers: {} })).toThrow("basketCount");
    expect(() => decodeRules({ ...section, numbers: { ...section.numbers, productCount: 4 } })).toThrow("pairOffsets");
  });
});
