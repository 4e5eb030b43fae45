/**
 * What each part of the learned order is worth: trees learned again without it, and its score alone.
 *
 *   npm run bench -- ablations [diginetica|yoochoose_100k|tmall …] [--every N] [--steps N] [--json FILE]
 *
 * Learns from train as a training does, from so many steps at most (6,000 when absent), and asks every N-th session of dev
 * (4 when absent). A candidate goes with a source when no other one proposes it. HR@20 and MRR@20 of the next product, and
 * of products new to the visit: with everything, then the difference without each part, in thousandths, with its 95 %
 * interval by bootstrap over sessions. `seed`: with everything, by other random numbers: what chance makes of it.
 * `session neighbours alone` and the others: the candidates in the order of that score.
 */
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { type Judged, type Lab, prepareLab, SEED } from "./ablations/lab.js";
import { PARTS } from "./ablations/parts.js";
import { judgeAlone, learnWithout } from "./ablations/variant.js";
import { bootstrapInterval } from "./bootstrap.js";
import { keep } from "./load.js";

const DATA_SETS = ["diginetica", "yoochoose_100k", "tmall"];
const FIGURES = ["HR@20", "MRR@20", "new: HR@20", "new: MRR@20"] as const;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string", default: "4" },
    steps: { type: "string", default: "6000" },
    json: { type: "string" },
  },
});

interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The four figures of each question; NaN where a question is not judged by one. */
function figuresOf({ all, fresh }: Judged): readonly Float64Array[] {
  const hits = (reciprocals: Float64Array) => reciprocals.map((value) => (value > 0 ? 1 : value));
  return [hits(all), all, hits(fresh), fresh];
}

function mean(figures: Float64Array): number {
  const judged = figures.filter((value) => !Number.isNaN(value));
  return judged.reduce((sum, value) => sum + value, 0) / judged.length;
}

/** Differences are summed by session. */
function difference(ours: Float64Array, base: Float64Array, units: readonly number[]): Difference {
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

function judge(lab: Lab): object {
  const { units } = lab.dev;
  const nothing = { features: [], proposers: [] };
  const full = learnWithout(lab, nothing, SEED);
  const base = figuresOf(full.judged);
  const figures = base.map(mean);
  const table = new Table({ style: { head: [], border: [] }, head: [lab.name, ...FIGURES, "CPU s", "candidates"] });
  table.push(["everything", ...figures.map((figure) => figure.toFixed(3)), full.seconds.toFixed(1), "100 %"]);
  const rows: object[] = [{ name: "everything", figures }];
  const add = (name: string, judged: Judged, seconds: string, candidates: string) => {
    const differences = figuresOf(judged).map((own, f) => difference(own, base[f]!, units));
    table.push([name, ...differences.map(shown), seconds, candidates]);
    rows.push({ name, differences });
  };
  const again = learnWithout(lab, nothing, SEED + 1);
  add("seed", again.judged, again.seconds.toFixed(1), "100 %");
  for (const part of PARTS) {
    const { judged, seconds, candidates } = learnWithout(lab, part, SEED);
    add(`without ${part.name}`, judged, seconds.toFixed(1), `${(100 * candidates).toFixed(0)} %`);
  }
  for (const { name, alone } of PARTS) if (alone) add(`${name} alone`, judgeAlone(lab, alone), "", "");
  console.log(table.toString());
  return { dataSet: lab.name, questions: units.length, rows };
}

const results: object[] = [];
for (const name of positionals.length > 0 ? positionals : DATA_SETS) {
  if (!DATA_SETS.includes(name) || !needsSharedData("behaviour", name)) process.exit(2);
  const lab = prepareLab(name, Number(values.every), Number(values.steps));
  console.log(`\n${name}: ${lab.learned.answers.length} steps learned from, ${lab.dev.answers.length} of dev judge`);
  results.push(judge(lab));
}
await keep(values.json, { results });
