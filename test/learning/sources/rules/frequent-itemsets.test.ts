import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowCount, rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import { visitFrequentItemsets } from "../../../../src/learning/sources/rules/frequent-itemsets.js";
import { frequentItemsets, type Itemsets } from "./collected-itemsets.js";

// A kiosk with 0 coffee, 1 milk, 2 biscuits, 3 newspaper.
const KIOSK = rowsFrom([[0, 1, 2], [0, 1], [3], [2, 0], [1, 0, 2, 3], []]);

function listed(itemsets: Itemsets): Record<string, number> {
  const all: Record<string, number> = {};
  for (let s = 0; s < rowCount(itemsets.sets); s++) {
    all[rowOf(itemsets.sets, s).join(" ")] = itemsets.counts[s]!;
  }
  return all;
}

/** Every subset of every basket, counted one by one. */
function countedByHand(baskets: number[][], minCount: number, maxLength: number): Record<string, number> {
  const counts = new Map<string, number>();
  for (const basket of baskets) {
    const items = [...new Set(basket)].sort((a, b) => a - b);
    for (let mask = 1; mask < 1 << items.length; mask++) {
      const subset = items.filter((_, i) => (mask >> i) & 1);
      if (subset.length > maxLength) continue;
      const key = subset.join(" ");
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return Object.fromEntries([...counts].filter(([, count]) => count >= minCount));
}

const anyBaskets = fc.array(fc.array(fc.nat(8), { maxLength: 9 }), { maxLength: 25 });

describe("frequent itemsets", () => {
  it("are the sets that two baskets of the kiosk hold, shorter ones first", () => {
    const itemsets = frequentItemsets(KIOSK, 4, { minSupportCount: 2 });
    expect(Object.entries(listed(itemsets))).toEqual([
      ...[
        ["0", 4],
        ["1", 3],
        ["2", 3],
        ["3", 2],
      ].map(([set, count]) => [String(set), count]),
      ["0 1", 3],
      ["0 2", 3],
      ["1 2", 2],
      ["0 1 2", 2],
    ]);
    expect(itemsets.basketCount).toBe(6);
  });

  it("count a product once a basket", () => {
    expect(
      listed(
        frequentItemsets(
          rowsFrom([
            [0, 0, 1, 0],
            [1, 1],
          ]),
          2,
          { minSupportCount: 1 },
        ),
      ),
    ).toEqual({
      "0": 1,
      "1": 2,
      "0 1": 1,
    });
  });

  it("are never longer than maxLength, and include every shorter one", () => {
    expect(listed(frequentItemsets(KIOSK, 4, { minSupportCount: 2, maxLength: 1 }))).toEqual({
      "0": 4,
      "1": 3,
      "2": 3,
      "3": 2,
    });
  });

  it("are none for no baskets", () => {
    expect(frequentItemsets(rowsFrom([]), 0, { minSupportCount: 1 }).counts).toHaveLength(0);
  });

  it("are rejected for a support that is not a whole number from 1", () => {
    expect(() => frequentItemsets(KIOSK, 4, { minSupportCount: 0 })).toThrow("minSupportCount");
    expect(() => frequentItemsets(KIOSK, 4, { minSupportCount: 1.5 })).toThrow("minSupportCount");
  });

  it("stop when the callback says so, and report that", () => {
    let seen = 0;
    const finished = visitFrequentItemsets(KIOSK, 4, { minSupportCount: 1 }, () => ++seen < 3);
    expect([finished, seen]).toEqual([false, 3]);
    expect(visitFrequentItemsets(KIOSK, 4, { minSupportCount: 1 }, () => true)).toBe(true);
  });

  it("agree with a count of every subset of every basket", () => {
    fc.assert(
      fc.property(anyBaskets, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10 }), (lists, min, max) => {
        const itemsets = frequentItemsets(rowsFrom(lists), 9, { minSupportCount: min, maxLength: max });
        expect(listed(itemsets)).toEqual(countedByHand(lists, min, max));
      }),
    );
  });

  it("do not depend on the order of baskets or of the products in them", () => {
    fc.assert(
      fc.property(anyBaskets, (lists) => {
        const turned = lists.map((list) => [...list].reverse()).reverse();
        expect(frequentItemsets(rowsFrom(turned), 9, { minSupportCount: 2 })).toEqual(
          frequentItemsets(rowsFrom(lists), 9, { minSupportCount: 2 }),
        );
      }),
    );
  });
});
