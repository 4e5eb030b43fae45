/** Itemsets and rules of 9,835 till receipts against exact figures on which several other programs agree. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { frequentItemsets, type Itemsets } from "../../src/algorithms/frequent-itemsets.js";
import { type ItemsetRule, itemsetCount, rulesFromItemsets } from "../../src/algorithms/itemset-rules.js";
import { rowCount, rowOf, rowsFrom } from "../../src/algorithms/rows.js";
import { describeWithSharedData, readCsvGz, readJson } from "../fixtures/shared-data.js";

interface NamedItem {
  item: string;
  name: string;
}
interface OracleRule {
  left: NamedItem[];
  right: NamedItem;
  count: number;
  left_count: number;
  right_count: number;
  support: number;
  confidence: number;
  lift: number;
  leverage: number;
  conviction: number | null;
}
interface Setting {
  support: number;
  count: number;
  confidence: number;
  itemsets: number;
  itemsets_by_size: Record<string, number>;
  rules1: number;
  rules1_by_size: Record<string, number>;
  rulesN: number;
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

  /** The oracle's order: by the figure, equal ones by count, then by item ids as text. */
  function firstBy(rules: ItemsetRule[], figure: "lift" | "confidence") {
    const keyed = rules.map((rule) => ({ rule, key: [...idsOf(rule.antecedent), ...idsOf(rule.consequent)] }));
    keyed.sort((a, b) => b.rule[figure] - a.rule[figure] || b.rule.count - a.rule.count || compareTexts(a.key, b.key));
    return keyed.slice(0, 25).map(({ rule }) => rule);
  }

  /** A rule as the oracle writes it: figures to nine decimals, an infinite conviction as null. */
  function asWritten(rule: ItemsetRule): OracleRule {
    const named = (id: string): NamedItem => ({ item: id, name: names[indexOf.get(id)!]!.name! });
    return {
      left: idsOf(rule.antecedent).map(named),
      right: named(idsOf(rule.consequent)[0]!),
      count: rule.count,
      left_count: rule.antecedentCount,
      right_count: rule.consequentCount,
      support: nineDecimals(rule.support),
      confidence: nineDecimals(rule.confidence),
      lift: nineDecimals(rule.lift),
      leverage: nineDecimals(rule.leverage),
      conviction: rule.conviction === Number.POSITIVE_INFINITY ? null : nineDecimals(rule.conviction),
    };
  }

  it("reads the whole data set", () => {
    expect([rowCount(baskets), ids.length, baskets.items.length]).toEqual([oracle.baskets, oracle.items, oracle.lines]);
  });

  it("counts the 30 most frequent items as the oracle does", () => {
    const itemsets = itemsetsAt(99);
    const counted = ranked(itemsets, 1).slice(0, 30);
    expect(Object.fromEntries(counted)).toEqual(oracle.item_counts);
  });

  it("counts the 30 most frequent pairs as the oracle does", () => {
    const counted = ranked(itemsetsAt(99), 2).slice(0, 30);
    expect(counted).toEqual(oracle.top_pairs.map((pair) => [pair.items.join(" "), pair.count]));
  });

  function ranked(itemsets: Itemsets, size: number): [string, number][] {
    const found: [string, number][] = [];
    for (let s = 0; s < rowCount(itemsets.sets); s++) {
      const set = rowOf(itemsets.sets, s);
      if (set.length === size) found.push([setKey(set), itemsetCount(itemsets, set)!]);
    }
    return found.sort((a, b) => b[1] - a[1] || compareTexts(a[0].split(" "), b[0].split(" ")));
  }

  for (const setting of oracle.settings) {
    const at = `support ${setting.support}, confidence ${setting.confidence}`;
    const rules = (consequents: "one" | "any") =>
      rulesFromItemsets(itemsetsAt(setting.count), { minConfidence: setting.confidence, consequents });

    it(`finds the same number of itemsets of each size at ${at}`, () => {
      const { sets } = itemsetsAt(setting.count);
      expect(Math.ceil(setting.support * oracle.baskets)).toBe(setting.count);
      expect(rowCount(sets)).toBe(setting.itemsets);
      expect(bySize(Array.from({ length: rowCount(sets) }, (_, s) => rowOf(sets, s).length))).toEqual(
        setting.itemsets_by_size,
      );
    });

    it(`finds the same number of rules at ${at}`, () => {
      const one = rules("one");
      expect(one).toHaveLength(setting.rules1);
      expect(bySize(one.map((rule) => rule.antecedent.length + 1))).toEqual(setting.rules1_by_size);
      expect(rules("any")).toHaveLength(setting.rulesN);
    });

    it(`puts the same rules with the same figures first by lift and by confidence at ${at}`, () => {
      const one = rules("one");
      expect(firstBy(one, "lift").map(asWritten)).toEqual(setting.top_by_lift);
      expect(firstBy(one, "confidence").map(asWritten)).toEqual(setting.top_by_confidence);
    });
  }
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
