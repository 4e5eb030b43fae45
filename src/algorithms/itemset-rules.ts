/**
 * All rules within frequent itemsets, with exact figures (Agrawal, Imielinski, Swami: "Mining association rules between
 * sets of items in large databases", SIGMOD 1993). For N baskets, antecedent A and consequent C:
 *
 *   support    = baskets with A and C / N
 *   confidence = baskets with A and C / baskets with A
 *   lift       = confidence / (baskets with C / N)          1: as often as by chance
 *   leverage   = support - support(A) * support(C)          0: as often as by chance
 *   conviction = (1 - support(C)) / (1 - confidence)        Infinity: no basket with A lacks C
 *
 * Each figure is one division of whole numbers, so equal fractions are equal numbers (exact while N squared is below
 * 2^53, which is 94 million baskets). A set of n products has 2^n - 2 splits: the caller bounds n by `maxLength`.
 */
import { compareSets, type Itemsets } from "./frequent-itemsets.js";
import { rowCount, rowOf } from "./rows.js";

export interface RuleFigures {
  readonly support: number;
  readonly confidence: number;
  readonly lift: number;
  readonly leverage: number;
  readonly conviction: number;
}

export interface ItemsetRule extends RuleFigures {
  /** Products, ascending. */
  readonly antecedent: Uint32Array;
  readonly consequent: Uint32Array;
  /** Baskets with both sides, with the antecedent, with the consequent. */
  readonly count: number;
  readonly antecedentCount: number;
  readonly consequentCount: number;
}

export interface ItemsetRuleParams {
  /** 0 to 1. */
  readonly minConfidence: number;
  /** `one`: rules with one product on the right; `any`: every split into two sides. */
  readonly consequents: "one" | "any";
}

/** Largest set that is split in every way. */
const MAX_SPLIT_LENGTH = 30;

/** Rules in the order of the itemsets, and within one by antecedent. The itemsets must hold every subset of each set. */
export function rulesFromItemsets(itemsets: Itemsets, params: ItemsetRuleParams): ItemsetRule[] {
  const rules: ItemsetRule[] = [];
  for (let s = 0; s < rowCount(itemsets.sets); s++) {
    const set = rowOf(itemsets.sets, s);
    if (set.length < 2) continue;
    const count = itemsets.counts[s]!;
    for (const [antecedent, consequent] of splits(set, params.consequents)) {
      const antecedentCount = countOf(itemsets, antecedent);
      if (count / antecedentCount < params.minConfidence) continue;
      const consequentCount = countOf(itemsets, consequent);
      const figures = ruleFigures(itemsets.basketCount, count, antecedentCount, consequentCount);
      rules.push({ antecedent, consequent, count, antecedentCount, consequentCount, ...figures });
    }
  }
  return rules;
}

export function ruleFigures(baskets: number, both: number, antecedent: number, consequent: number): RuleFigures {
  const without = antecedent - both;
  return {
    support: both / baskets,
    confidence: both / antecedent,
    lift: (both * baskets) / (antecedent * consequent),
    leverage: (both * baskets - antecedent * consequent) / (baskets * baskets),
    conviction: without === 0 ? Number.POSITIVE_INFINITY : (antecedent * (baskets - consequent)) / (baskets * without),
  };
}

/** Baskets with a set of ascending products; undefined when it is not among the itemsets. */
export function itemsetCount(itemsets: Itemsets, set: Uint32Array): number | undefined {
  let low = 0;
  let high = rowCount(itemsets.sets);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareSets(rowOf(itemsets.sets, middle), set);
    if (order === 0) return itemsets.counts[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

function countOf(itemsets: Itemsets, set: Uint32Array): number {
  const count = itemsetCount(itemsets, set);
  if (count === undefined) throw new Error("itemsets lack a subset of one of their sets");
  return count;
}

function* splits(set: Uint32Array, consequents: "one" | "any"): Generator<[Uint32Array, Uint32Array]> {
  if (consequents === "one") {
    for (let i = set.length - 1; i >= 0; i--) yield [set.filter((_, at) => at !== i), set.slice(i, i + 1)];
    return;
  }
  if (set.length > MAX_SPLIT_LENGTH)
    throw new RangeError(`sets of over ${MAX_SPLIT_LENGTH} products have too many splits`);
  for (let left = 1; left < 2 ** set.length - 1; left++) {
    yield [set.filter((_, at) => (left >> at) & 1), set.filter((_, at) => !((left >> at) & 1))];
  }
}
