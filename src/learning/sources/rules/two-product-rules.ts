import { type Rows, rowCount } from "../../common/rows.js";
import { visitFrequentItemsets } from "./frequent-itemsets.js";

export interface PairRuleParams {
  readonly minLift: number;
  readonly minTripleCount: number;
  readonly maxPairConsequents: number;
  readonly maxItemsets: number;
}

/** Pairs of products that have rules, in order of the smaller and then the greater product. */
export interface PairRules {
  /** Pairs by their smaller product; length productCount + 1. */
  readonly offsets: Uint32Array;
  readonly seconds: Uint32Array;
  /** Baskets with each pair. */
  readonly counts: Uint32Array;
  /** Rules of each pair, most confident first. */
  readonly rules: readonly (readonly PairRule[])[];
}

interface PairRule {
  readonly consequent: number;
  /** Baskets with all three. */
  readonly count: number;
}

interface Triples {
  /** Baskets by pair: key smaller * productCount + greater. */
  readonly pairCounts: ReadonlyMap<number, number>;
  /** Three products and their baskets, four numbers a triple. */
  readonly triples: readonly number[];
}

/** Standard deviations; hundreds of thousands of rules are tried, of which chance lifts many above 3. */
const MIN_IMPROVEMENT = 5;

/**
 * Rules with two products on the left, from all triples that enough baskets hold. Kept are those with a lift above
 * `minLift` that are more confident than the rule of either half (the "improvement" of Bayardo, Agrawal, Gunopulos:
 * "Constraint-based rule mining in large, dense databases", ICDE 1999) by `MIN_IMPROVEMENT` standard deviations of the
 * count that the better half lets expect: others tell nothing new.
 */
export function pairRules(baskets: Rows, productCounts: Uint32Array, params: PairRuleParams): PairRules {
  const productCount = productCounts.length;
  const basketCount = rowCount(baskets);
  const { pairCounts, triples } = boundedTriples(baskets, productCount, params);
  const keyOf = (a: number, b: number) => Math.min(a, b) * productCount + Math.max(a, b);
  const byPair = new Map<number, PairRule[]>();
  const consider = (a: number, b: number, consequent: number, count: number) => {
    const key = keyOf(a, b);
    const antecedentCount = pairCounts.get(key)!;
    const half = Math.max(
      pairCounts.get(keyOf(a, consequent))! / productCounts[a]!,
      pairCounts.get(keyOf(b, consequent))! / productCounts[b]!,
    );
    const deviation = Math.sqrt(antecedentCount * half * (1 - half));
    if (count - antecedentCount * half <= MIN_IMPROVEMENT * deviation) return;
    if (count * basketCount <= params.minLift * antecedentCount * productCounts[consequent]!) return;
    const rules = byPair.get(key) ?? [];
    byPair.set(key, rules);
    rules.push({ consequent, count });
  };
  for (let t = 0; t < triples.length; t += 4) {
    const [a, b, c, count] = [triples[t]!, triples[t + 1]!, triples[t + 2]!, triples[t + 3]!];
    consider(a, b, c, count);
    consider(a, c, b, count);
    consider(b, c, a, count);
  }
  const keys = [...byPair.keys()].sort((a, b) => a - b);
  const offsets = new Uint32Array(productCount + 1);
  for (const key of keys) offsets[Math.floor(key / productCount) + 1]!++;
  for (let p = 0; p < productCount; p++) offsets[p + 1]! += offsets[p]!;
  return {
    offsets,
    seconds: Uint32Array.from(keys, (key) => key % productCount),
    counts: Uint32Array.from(keys, (key) => pairCounts.get(key)!),
    rules: keys.map((key) =>
      byPair
        .get(key)!
        .sort((x, y) => y.count - x.count || x.consequent - y.consequent)
        .slice(0, params.maxPairConsequents),
    ),
  };
}

/** Raises the least count until the search ends within its bound. Pairs of one triple are frequent when it is. */
function boundedTriples(baskets: Rows, productCount: number, params: PairRuleParams): Triples {
  if (params.minTripleCount < 1) return { pairCounts: new Map(), triples: [] };
  for (let minSupportCount = params.minTripleCount; ; minSupportCount *= 2) {
    const pairCounts = new Map<number, number>();
    const triples: number[] = [];
    let found = 0;
    const finished = visitFrequentItemsets(
      baskets,
      productCount,
      { minSupportCount, maxLength: 3 },
      (items, length, count) => {
        const [a, b, c] = [items[0]!, items[1]!, items[2]!];
        if (length === 2) pairCounts.set(Math.min(a, b) * productCount + Math.max(a, b), count);
        if (length === 3) triples.push(a, b, c, count);
        return ++found <= params.maxItemsets;
      },
    );
    if (finished) return { pairCounts, triples };
  }
}
