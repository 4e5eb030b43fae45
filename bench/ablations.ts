/**
 * What each part of a learned order is worth: trees learned again without it, and its score alone.
 *
 *   npm run bench -- ablations [diginetica|yoochoose_100k|tmall|online_retail|complete_journey|groceries …]
 *                    [--every N] [--steps N] [--seeds N] [--only PART,PART …] [--together PART,PART …] [--json FILE]
 *
 * Learns from train as a training does, and asks every N-th session or order of dev (4 when absent). A candidate goes with a
 * source when no other one proposes it. Prints HR@20 and MRR@20 with everything, then the difference without each part, in
 * thousandths, with its 95 % interval by bootstrap over sessions or orders. `seed`: with everything, by other random
 * numbers: what chance makes of it. `--seeds`: figures are means over so many trainings (1 when absent). `--only` leaves out
 * only these parts, `--together` these at once.
 *
 * Visits: the next product, and products new to the visit, learned from so many steps at most (6,000 when absent);
 * `session neighbours alone` and the others: the candidates in the order of that score. Orders: one line hidden in a cart of
 * all others, or of the first alone; of a customer's next order a product that is new, or bought again.
 */
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { cartTrial } from "./ablations/cart-lab.js";
import { SEED } from "./ablations/lab.js";
import { ORDER_SETS } from "./ablations/orders.js";
import type { Figure, Learned, Trial } from "./ablations/trial.js";
import { visitTrial } from "./ablations/visit-trial.js";
import { bootstrapInterval } from "./bootstrap.js";
import { keep } from "./load.js";

const VISIT_SETS = ["diginetica", "yoochoose_100k", "tmall"];
const DATA_SETS = [...VISIT_SETS, ...ORDER_SETS];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string", default: "4" },
    steps: { type: "string", default: "6000" },
    seeds: { type: "string", default: "1" },
    only: { type: "string" },
    together: { type: "string" },
    json: { type: "string" },
  },
});

interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

function mean(figures: Float64Array): number {
  const judged = figures.filter((value) => !Number.isNaN(value));
  return judged.reduce((sum, value) => sum + value, 0) / judged.length;
}

/** Differences are summed by unit. */
function difference({ values: ours, units }: Figure, { values: base }: Figure): Difference {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [q, value] of ours.entries()) {
    if (Number.isNaN(value)) continue;
    const { sum, count } = sums.get(units[q]!) ?? { sum: 0, count: 0 };
    sums.set(units[q]!, { sum: sum + value - base[q]!, count: count + 1 });
  }
  const all = [...sums.values()];
  const interval = bootstrapInterval(
    all.map(({ sum }) => sum),
    all.map(({ count }) => count),
  );
  return { value: mean(ours) - mean(base), ...interval };
}

const thousandths = (value: number) => (1000 * value).toFixed(1);
const shown = ({ value, low, high }: Difference) =>
  `${thousandths(value)} (${thousandths(low)} to ${thousandths(high)})`;

/** Names of parts from the command line; an unknown one ends the run. */
function partsOf(trial: Trial, list: string): string[] {
  const names = list.split(",");
  const unknown = names.find((name) => !trial.parts.includes(name));
  if (unknown === undefined) return names;
  console.error(`there is no part ${unknown}: it is one of ${trial.parts.join(", ")}`);
  return process.exit(2);
}

/** Figures are means over as many seeds as are asked for. */
function learnBySeeds(trial: Trial, without: readonly string[], seed: number): Learned {
  const seeds = Number(values.seeds);
  const all = Array.from({ length: seeds }, (_, s) => trial.learn(without, seed + s));
  const [first] = all;
  if (first === undefined) throw new RangeError("--seeds is 1 or more");
  const figures = first.figures.map(({ units, values: its }, f) => ({
    units,
    values: its.map((_, q) => all.reduce((sum, one) => sum + one.figures[f]!.values[q]!, 0) / seeds),
  }));
  return { ...first, figures };
}

function judge(trial: Trial): object {
  const full = learnBySeeds(trial, [], SEED);
  const figures = full.figures.map(({ values: found }) => mean(found));
  const head = [trial.name, ...trial.figures, "CPU s", "candidates"];
  const table = new Table({ style: { head: [], border: [] }, head });
  table.push(["everything", ...figures.map((figure) => figure.toFixed(3)), full.seconds.toFixed(1), "100 %"]);
  const rows: object[] = [{ name: "everything", figures }];
  const add = (name: string, its: readonly Figure[], seconds: string, candidates: string) => {
    const differences = its.map((own, f) => difference(own, full.figures[f]!));
    table.push([name, ...differences.map(shown), seconds, candidates]);
    rows.push({ name, differences });
  };
  const learn = (name: string, without: readonly string[], seed: number) => {
    const { figures: its, seconds, candidates } = learnBySeeds(trial, without, seed);
    add(name, its, seconds.toFixed(1), `${(100 * candidates).toFixed(0)} %`);
  };
  learn("seed", [], SEED + Number(values.seeds));
  const { together } = values;
  const only = values.only === undefined ? trial.parts : partsOf(trial, values.only);
  if (together !== undefined) learn(`without ${together}`, partsOf(trial, together), SEED);
  else for (const part of only) learn(`without ${part}`, [part], SEED);
  if (together === undefined) for (const { name, figures: its } of trial.alone) add(`${name} alone`, its, "", "");
  console.log(table.toString());
  return { dataSet: trial.name, rows };
}

const results: object[] = [];
for (const name of positionals.length > 0 ? positionals : DATA_SETS) {
  const isVisits = VISIT_SETS.includes(name);
  if (!DATA_SETS.includes(name) || (isVisits && !needsSharedData("behaviour", name))) process.exit(2);
  const every = Number(values.every);
  const trial = isVisits ? visitTrial(name, every, Number(values.steps)) : cartTrial(name, every, SEED);
  console.log(`\n${name}: ${trial.asked}`);
  results.push(judge(trial));
}
await keep(values.json, { results });
