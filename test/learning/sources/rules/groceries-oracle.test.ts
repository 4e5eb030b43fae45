/** Itemsets of 9,835 till receipts, and the rules that recommend, against exact figures on which several other programs agree. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { rowCount, rowOf, rowsFrom } from "../../../../src/learning/common/rows.js";
import { associationRules, createRuleExplainer } from "../../../../src/learning/sources/rules/association-rules.js";
import { describeWithSharedData, readCsvGz, readJson } from "../../../fixtures/shared-data.js";
import { frequentItemsets, type Itemsets } from "./collected-itemsets.js";

interface NamedItem {
  item: string;
  name: string;
}
interface OracleRule {
  left: NamedItem[];
  right: NamedItem;
  count: number;
  left_count: number;
  support: number;
  confidence: number;
  lift: number;
}
interface Setting {
  support: number;
  count: number;
  confidence: number;
  itemsets: number;
  itemsets_by_size: Record<string, number>;
  top_by_lift: OracleRule[];
  top_by_confidence: OracleRule[];
}
interface Oracle {
  baskets: number;
  items: number;
  lines: number;
  item_counts: Record<string, number>;
  top_pairs: { items: string[]; count: number }[];
  settings: Setting[];
}

describeWithSharedData("baskets", "groceries")("groceries against the oracle", (folder) => {
  const oracle = readJson(join(folder, "oracle.json")) as Oracle;
  const names = readCsvGz(join(folder, "items.csv.gz"));
  const ids = names.map((row) => row.item_id!);
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const byBasket = new Map<string, number[]>();
  for (const { basket_id, item_id } of readCsvGz(join(folder, "baskets.csv.gz"))) {
    const basket = byBasket.get(basket_id!) ?? [];
    byBasket.set(basket_id!, basket);
    basket.push(indexOf.get(item_id!)!);
  }
  const baskets = rowsFrom(byBasket.values());

  const mined = new Map<number, Itemsets>();
  const itemsetsAt = (count: number): Itemsets => {
    const known = mined.get(count) ?? frequentItemsets(baskets, ids.length, { minSupportCount: count });
    mined.set(count, known);
    return known;
  };
  const idsOf = (set: Uint32Array): string[] => [...set].map((index) => ids[index]!).sort();
  const setKey = (set: Uint32Array): string => idsOf(set).join(" ");

  it("groceries has all its baskets", () => {
    expect([rowCount(baskets), ids.length, baskets.items.length]).toEqual([oracle.baskets, oracle.items, oracle.lines]);
  });

  it("frequentItemsets counts the 30 most frequent items as the oracle does", () => {
    const itemsets = itemsetsAt(99);
    const counted = ranked(itemsets, 1).slice(0, 30);
    expect(Object.fromEntries(counted)).toEqual(oracle.item_counts);
  });

  it("frequentItemsets counts the 30 most frequent pairs as the oracle does", () => {
    const counted = ranked(itemsetsAt(99), 2).slice(0, 30);
    expect(counted).toEqual(oracle.top_pairs.map((pair) => [pair.items.join(" "), pair.count]));
  });

  function ranked(itemsets: Itemsets, size: number): [string, number][] {
    const found: [string, number][] = [];
    for (let s = 0; s < rowCount(itemsets.sets); s++) {
      const set = rowOf(itemsets.sets, s);
      if (set.length === size) found.push([setKey(set), itemsets.counts[s]!]);
    }
    return found.sort((a, b) => b[1] - a[1] || compareTexts(a[0].split(" "), b[0].split(" ")));
  }

  for (const setting of oracle.settings) {
    const at = `support ${setting.support}`;
    it(`frequentItemsets finds as many itemsets of each size as the oracle at ${at}`, () => {
      const { sets } = itemsetsAt(setting.count);
      expect(Math.ceil(setting.support * oracle.baskets)).toBe(setting.count);
      expect(rowCount(sets)).toBe(setting.itemsets);
      expect(bySize(Array.from({ length: rowCount(sets) }, (_, s) => rowOf(sets, s).length))).toEqual(
        setting.itemsets_by_size,
      );
    });
  }

  it("associationRules has the oracle's figures for rules with one antecedent", () => {
    const all = oracle.settings.flatMap(({ top_by_lift, top_by_confidence }) => [...top_by_lift, ...top_by_confidence]);
    const single = all.filter(({ left }) => left.length === 1);
    expect(single.length).toBeGreaterThan(5);
    const rules = associationRules(baskets, ids.length, { maxConsequents: ids.length });
    for (const { left, right, count, left_count, support, confidence, lift } of single) {
      const [antecedent, consequent] = [indexOf.get(left[0]!.item)!, indexOf.get(right.item)!];
      const { counts } = createRuleExplainer(rules, Uint32Array.of(antecedent))(consequent)!;
      expect([counts.pair_count, counts.antecedent_count]).toEqual([count, left_count]);
      expect([counts.support!, counts.confidence!, counts.lift!].map(nineDecimals)).toEqual([
        support,
        confidence,
        lift,
      ]);
    }
  });
});

function bySize(sizes: number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const size of sizes) counts[size] = (counts[size] ?? 0) + 1;
  return counts;
}

function nineDecimals(value: number): number {
  return Number(value.toFixed(9));
}

function compareTexts(a: string[], b: string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return a.length - b.length;
}
