/**
 * What completes a cart and what customers order next, on held-out orders, beside baselines.
 *
 *     npm run bench -- baskets [--seed S] [--slice] [--only TEXT] [--json]
 *
 * online_retail: learned from train, judged on dev. groceries: learned from the first 80 % of baskets, judged on the
 * rest. With `--slice`, judged on the newest part of what is learned from otherwise. `--only` takes the recommenders
 * whose name holds the text. Places looked at: 20 on online_retail, 10 on groceries.
 *
 *   one line hidden      one product is to be found from all others of the order; five drawn of each order, which counts once
 *   after the first line all others are to be found from the first
 *   next order           a known customer's next order (or all later ones) from the earlier ones: what is new to the
 *                        customer, then also what is bought again
 *
 * Products that were not learned are left out of the judging. Recall is hits / all that was wanted, and beside it
 * hits / min(places, wanted). Published baselines do not say which they mean. The latter, on orders of three lines or more,
 * gives basket kNN with IDF its stated .168 after the first line. It gives EASE^R .59 / .105 on customers' later orders
 * (stated .602 / .099). No protocol tried gives EASE^R the stated .439 / .170 for hidden lines.
 * In brackets 95 % by bootstrap over orders or customers; `learned HR is more by` is that of the paired difference.
 * CPU is that of one query and of one fit.
 */
import { parseArgs } from "node:util";
import { LEARNED, OF_CUSTOMERS, type Recommender, recommenders } from "./basket-recommenders.js";
import { type Query, type Task, tasks } from "./basket-tasks.js";
import { bootstrapInterval, type Interval } from "./bootstrap.js";

const FIGURES = ["hitRate", "reciprocalRank", "recall", "recallOfPlaces"] as const;
/** `recallOfPlaces`: hits / min(places, wanted). */
type Figure = (typeof FIGURES)[number];
type ByFigure<T> = Readonly<Record<Figure, T>>;

interface Judged {
  /** Of each order or customer. */
  readonly units: ByFigure<Float64Array>;
  readonly figures: ByFigure<number>;
  readonly intervals: ByFigure<Interval>;
  readonly queryMs: number;
}

function byFigure<T>(of: (figure: Figure) => T): ByFigure<T> {
  const [hitRate, reciprocalRank, recall, recallOfPlaces] = FIGURES;
  return {
    hitRate: of(hitRate),
    reciprocalRank: of(reciprocalRank),
    recall: of(recall),
    recallOfPlaces: of(recallOfPlaces),
  };
}

function judge(recommend: Recommender, queries: readonly Query[], k: number): Judged {
  const count = queries.reduce((most, { unit }) => Math.max(most, unit + 1), 0);
  const units = byFigure(() => new Float64Array(count));
  const before = process.cpuUsage();
  for (const query of queries) {
    const { unit, wanted } = query;
    const places = [...recommend(query, k).indices].map((product) => wanted.has(product));
    const found = places.filter((hit) => hit).length;
    // Weights of one unit sum up to 1 / count.
    const weight = query.weight * count;
    if (found > 0) units.hitRate[unit]! += weight;
    if (found > 0) units.reciprocalRank[unit]! += weight / (places.indexOf(true) + 1);
    units.recall[unit]! += (weight * found) / wanted.size;
    units.recallOfPlaces[unit]! += (weight * found) / Math.min(k, wanted.size);
  }
  const queryMs = secondsSince(before) * (1000 / queries.length);
  return {
    units,
    figures: byFigure((figure) => mean(units[figure])),
    intervals: byFigure((figure) => bootstrapInterval(units[figure])),
    queryMs,
  };
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1e6;
}

function measure(of: Task, only: string, tell: (text: string) => void) {
  const results: { recommender: string; protocol: string; fitSeconds: number; judged: Judged }[] = [];
  for (const [recommender, fit] of Object.entries(recommenders(of, tell))) {
    if (!recommender.includes(only)) continue;
    const before = process.cpuUsage();
    const recommend = fit();
    const fitSeconds = secondsSince(before);
    const isAsked = (queries: readonly Query[]) => !OF_CUSTOMERS.has(recommender) || queries.some((q) => q.customer);
    for (const [protocol, queries] of Object.entries(of.protocols).filter(([, each]) => isAsked(each)))
      results.push({ recommender, protocol, fitSeconds, judged: judge(recommend, queries, of.k) });
  }
  return results;
}

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    slice: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});
const found = tasks(values.seed, values.slice);
if (found.length === 0) {
  process.stderr.write("shared/data is missing (set AISLE_SHARED_DATA)\n");
  process.exitCode = 1;
}
for (const of of found) {
  const notes: string[] = [];
  const results = measure(of, values.only, (text) => notes.push(text));
  if (values.json) {
    const told = results.map(({ judged: { units: _, ...judged }, ...result }) => ({ ...result, ...judged }));
    process.stdout.write(`${JSON.stringify({ data: of.name, places: of.k, notes, results: told })}\n`);
    continue;
  }
  for (const [protocol, queries] of Object.entries(of.protocols)) {
    const table: Record<string, Record<string, string>> = {};
    const ofProtocol = results.filter((result) => result.protocol === protocol);
    const learned = ofProtocol.find(({ recommender }) => recommender === LEARNED)?.judged;
    for (const { recommender, fitSeconds, judged } of ofProtocol) {
      const cell = (figure: Figure) => `${digits(judged.figures[figure])} ${told(judged.intervals[figure])}`;
      table[recommender] = {
        [`HR@${of.k}`]: cell("hitRate"),
        [`MRR@${of.k}`]: cell("reciprocalRank"),
        [`Recall@${of.k}`]: cell("recall"),
        [`of min(${of.k}, n)`]: cell("recallOfPlaces"),
        "learned HR is more by": learned && recommender !== LEARNED ? told(gain(learned, judged)) : "",
        "CPU ms": judged.queryMs.toFixed(3),
        "fit CPU s": fitSeconds.toFixed(1),
      };
    }
    const given = queries.reduce((sum, { question }) => sum + question.items.length, 0) / queries.length;
    process.stdout.write(
      `\n${of.name}, ${protocol}: ${queries.length} questions, ${given.toFixed(1)} products given\n`,
    );
    console.table(table);
  }
  if (notes.length > 0) process.stdout.write(`${notes.join("\n")}\n`);
}

function digits(value: number): string {
  return value.toFixed(4).replace("0.", ".");
}

function told({ low, high }: Interval): string {
  return `(${digits(low)} to ${digits(high)})`;
}

/** How much more orders or customers the first hits than the second, question by question. */
function gain(first: Judged, second: Judged): Interval {
  return bootstrapInterval(first.units.hitRate.map((value, unit) => value - second.units.hitRate[unit]!));
}
