import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frequentItemsets } from "../../src/algorithms/frequent-itemsets.js";
import { itemsetCount, rulesFromItemsets } from "../../src/algorithms/itemset-rules.js";
import { rowsFrom } from "../../src/algorithms/rows.js";

// A kiosk with 0 coffee, 1 milk, 2 biscuits. Coffee in 4 of 5 baskets, milk in 2, always with coffee.
const KIOSK = rowsFrom([[0, 1], [0, 1, 2], [0], [0], [2]]);

describe("rulesFromItemsets", () => {
  it("gives milk → coffee the figures worked out by hand", () => {
    const itemsets = frequentItemsets(KIOSK, 3, { minSupportCount: 2 });
    const rules = rulesFromItemsets(itemsets, { minConfidence: 0.6, consequents: "one" });
    expect(rules).toEqual([
      {
        antecedent: Uint32Array.of(1),
        consequent: Uint32Array.of(0),
        count: 2,
        antecedentCount: 2,
        consequentCount: 4,
        support: 2 / 5,
        confidence: 1,
        lift: 5 / 4,
        leverage: 2 / 25,
        conviction: Number.POSITIVE_INFINITY,
      },
    ]);
  });

  it("gives coffee → milk a finite conviction", () => {
    const itemsets = frequentItemsets(KIOSK, 3, { minSupportCount: 2 });
    const rule = rulesFromItemsets(itemsets, { minConfidence: 0.5, consequents: "one" })[0]!;
    expect([[...rule.antecedent], rule.confidence, rule.conviction]).toEqual([[0], 0.5, (1 - 2 / 5) / (1 - 1 / 2)]);
  });

  it("keeps a rule whose confidence is exactly the least one", () => {
    const itemsets = frequentItemsets(rowsFrom([[0, 1], [0, 1], [0, 1], [0, 1], [0]]), 2, { minSupportCount: 1 });
    const found = rulesFromItemsets(itemsets, { minConfidence: 0.8, consequents: "one" });
    expect(found.map((rule) => rule.confidence)).toEqual([0.8, 1]);
  });

  it("splits a set of three in six ways for any consequents, three for one", () => {
    const itemsets = frequentItemsets(rowsFrom([[0, 1, 2]]), 3, { minSupportCount: 1 });
    const rulesOfThree = (consequents: "one" | "any") =>
      rulesFromItemsets(itemsets, { minConfidence: 0, consequents }).filter(
        (rule) => rule.antecedent.length + rule.consequent.length === 3,
      );
    expect([rulesOfThree("one").length, rulesOfThree("any").length]).toEqual([3, 6]);
  });

  it("counts both sides as the baskets do", () => {
    const anyBaskets = fc.array(fc.array(fc.nat(6), { maxLength: 6 }), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(anyBaskets, (lists) => {
        const holding = (set: Iterable<number>) =>
          lists.filter((list) => [...set].every((p) => list.includes(p))).length;
        const itemsets = frequentItemsets(rowsFrom(lists), 7, { minSupportCount: 1 });
        for (const rule of rulesFromItemsets(itemsets, { minConfidence: 0.3, consequents: "any" })) {
          expect(rule.count).toBe(holding([...rule.antecedent, ...rule.consequent]));
          expect(rule.antecedentCount).toBe(holding(rule.antecedent));
          expect(rule.consequentCount).toBe(holding(rule.consequent));
          expect(rule.leverage).toBeCloseTo(
            rule.support - (rule.antecedentCount / lists.length) * (rule.consequentCount / lists.length),
            12,
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  it("refuses itemsets that lack a subset", () => {
    const itemsets = frequentItemsets(KIOSK, 3, { minSupportCount: 2 });
    const sets = rowsFrom([[0, 1]]);
    expect(() =>
      rulesFromItemsets({ ...itemsets, sets, counts: Uint32Array.of(2) }, { minConfidence: 0, consequents: "one" }),
    ).toThrow("lack a subset");
  });

  it("finds no count for a set that is not frequent", () => {
    const itemsets = frequentItemsets(KIOSK, 3, { minSupportCount: 2 });
    expect([itemsetCount(itemsets, Uint32Array.of(0, 1)), itemsetCount(itemsets, Uint32Array.of(1, 2))]).toEqual([
      2,
      undefined,
    ]);
  });
});
