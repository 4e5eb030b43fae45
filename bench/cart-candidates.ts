/**
 * How often what completes a cart, or what a customer orders next, is among the cart's candidates, which the learned
 * order cannot add to: recall@50, 100 and 200 of each source alone and of their union, by products asked with.
 *
 *     npm run bench -- cart-candidates [--slice] [--seed S]
 *
 * Learns from online_retail's train and asks what `baskets` asks; with `--slice` the newest 30 days of train. Recall is
 * the share of what was wanted, each order or customer counting the same. `union` has no order: its recall is that of
 * all candidates, whose number on average stands in brackets.
 */
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { type CartSources, createCartCandidates } from "../src/learning/cart/cart-candidates.js";
import { knownProducts } from "../src/learning/cart/cart-complements.js";
import { CartEvidence } from "../src/learning/cart/cart-evidence.js";
import { createBasketSearch } from "../src/learning/cart/cart-neighbours.js";
import { fitCartSources } from "../src/learning/cart/cart-ranking.js";
import { createTopK } from "../src/learning/common/top-k.js";
import { type Query, tasks } from "./basket-tasks.js";

const DEPTHS = [50, 100, 200] as const;
const SIZES = [
  { label: "1", least: 1, most: 1 },
  { label: "2-4", least: 2, most: 4 },
  { label: "5-9", least: 5, most: 9 },
  { label: "10-24", least: 10, most: 24 },
  { label: "25+", least: 25, most: Number.POSITIVE_INFINITY },
] as const;
const PROTOCOLS = [
  "one line hidden",
  "after the first line",
  "customer's next order, new products",
  "customer's next order, repeats too",
];

interface Outcome {
  readonly size: number;
  readonly weight: number;
  /** By depth. */
  readonly recall: readonly number[];
}

/** What each source proposes for a question, best first. */
function proposals({ cart, sales, ...sources }: CartSources, productCount: number) {
  const evidence = new CartEvidence(productCount);
  const findBaskets = createBasketSearch(cart);
  const top = createTopK();
  const depth = DEPTHS.at(-1)!;
  return ({ question, excluded }: Query): Record<string, Uint32Array> => {
    const best = (scores: ArrayLike<number>) => {
      top.reset(depth);
      for (let product = 0; product < productCount; product++)
        if (!excluded.has(product) && scores[product]! > 0) top.offer(product, scores[product]!);
      return top.take().indices;
    };
    const bought = new Float64Array(productCount);
    const { purchases } = question;
    if (purchases) for (const [i, product] of purchases.products.entries()) bought[product] = purchases.times[i]!;
    evidence.gather(knownProducts(cart, question.items), new Set(), { cart, sales, ...sources }, findBaskets);
    const { ridge, share, confidence, near } = evidence;
    const found = {
      ridge: best(ridge),
      neighbours: best(share),
      rules: best(confidence),
      near: best(near),
      "bought before": best(bought),
      "bestsellers, 30 days": best(sales.days30),
    };
    evidence.clear();
    return found;
  };
}

function outcomeOf({ question, wanted, weight }: Query, products: Uint32Array, depths: readonly number[]): Outcome {
  const places = [...products.keys()].filter((place) => wanted.has(products[place]!));
  const recall = depths.map((depth) => places.filter((place) => place < depth).length / wanted.size);
  return { size: question.items.length, weight, recall };
}

/** Means by depth. */
function recallOf(outcomes: readonly Outcome[]): string {
  const all = outcomes.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return "-";
  const depths = [...(outcomes[0]?.recall.keys() ?? [])];
  return depths
    .map((d) => (outcomes.reduce((sum, { weight, recall }) => sum + weight * recall[d]!, 0) / all).toFixed(3))
    .join(" ")
    .replaceAll("0.", ".");
}

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, slice: { type: "boolean", default: false } },
});
const task = tasks(values.seed, values.slice).find(({ name }) => name.startsWith("online_retail"));
if (task === undefined) throw new Error("shared/data is missing (set AISLE_SHARED_DATA)");
const { orders, productCount, cutOff, protocols } = task;
const sources = fitCartSources(orders, productCount, cutOff);
const propose = proposals(sources, productCount);
const candidatesOf = createCartCandidates(sources);
for (const protocol of PROTOCOLS) {
  const outcomes = new Map<string, Outcome[]>();
  let count = 0;
  for (const query of protocols[protocol] ?? []) {
    const add = (name: string, outcome: Outcome) => {
      const before = outcomes.get(name);
      if (before) before.push(outcome);
      else outcomes.set(name, [outcome]);
    };
    for (const [name, products] of Object.entries(propose(query))) add(name, outcomeOf(query, products, DEPTHS));
    const { products } = candidatesOf(query.question);
    count += products.length * query.weight;
    add("union", outcomeOf(query, products, [products.length]));
  }
  const sizes = SIZES.filter(({ least, most }) =>
    outcomes.get("union")?.some(({ size }) => size >= least && size <= most),
  );
  const table = new Table({
    style: { head: [], border: [] },
    head: [`recall@${DEPTHS.join(" ")}`, "all", ...sizes.map(({ label }) => `${label} given`)],
  });
  for (const [name, each] of outcomes)
    table.push([
      name === "union" ? `union (${count.toFixed(0)})` : name,
      recallOf(each),
      ...sizes.map(({ least, most }) => recallOf(each.filter(({ size }) => size >= least && size <= most))),
    ]);
  process.stdout.write(`\n${task.name}, ${protocol}\n${table.toString()}\n`);
}
