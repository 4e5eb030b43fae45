/**
 * Next-item prediction by session neighbours, beside popularity and item-to-item neighbours.
 *
 *     npx tsx bench/sessions.ts diginetica|yoochoose_100k|tmall [--preset browsing|quick|returning|chosen] [--every N]
 *
 * Learns the train part and judges on dev: each prefix of a session predicts the next item. Items that train does not
 * hold are neither asked with nor judged. HR@20: share of steps whose item is among the 20 proposed; MRR@20: mean of
 * 1 / its rank. Repeats are proposed. Sessions without clock times count one minute each.
 */
import { parseArgs } from "node:util";
import { type Candidates, NO_CANDIDATES } from "../src/algorithms/candidates.js";
import { rowsFrom } from "../src/algorithms/rows.js";
import { createSessionRecommender, fitSessionNeighbours } from "../src/algorithms/session-neighbours.js";
import { SESSION_PRESETS, type SessionParams } from "../src/algorithms/session-params.js";
import { chooseSessionParams } from "../src/algorithms/session-tuning.js";
import { createTopK } from "../src/algorithms/top-k.js";
import { needsSharedData, readCsvGz, sharedData } from "../test/fixtures/shared-data.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { preset: { type: "string", default: "chosen" }, every: { type: "string", default: "1" } },
});
const name = positionals[0] ?? "diginetica";
if (!needsSharedData("behaviour", name)) process.exit(2);

interface Session {
  readonly items: string[];
  readonly endedAt: number;
}

function read(part: "train" | "dev"): Session[] {
  const sessions = new Map<string, { item: string; at: number; order: number }[]>();
  for (const row of readCsvGz(sharedData("behaviour", name, `${part}.csv.gz`) ?? "")) {
    const { session = "", item = "", ts, position } = row;
    const steps = sessions.get(session) ?? [];
    if (steps.length === 0) sessions.set(session, steps);
    const at = ts === undefined ? Number(session) * 60_000 : Number(ts) * 1000;
    steps.push({ item, at, order: position === undefined ? steps.length : Number(position) });
  }
  const read = [...sessions.values()].map((steps) => {
    steps.sort((a, b) => a.at - b.at || a.order - b.order);
    return { items: steps.map((step) => step.item), endedAt: steps.at(-1)?.at ?? 0 };
  });
  return read.sort((a, b) => a.endedAt - b.endedAt);
}

const train = read("train");
const indexOf = new Map<string, number>();
for (const { items } of train) for (const item of items) if (!indexOf.has(item)) indexOf.set(item, indexOf.size);
const known = (items: string[]) => items.map((item) => indexOf.get(item)).filter((index) => index !== undefined);
const dev = read("dev")
  .filter((_, s) => s % Number(values.every) === 0)
  .map((session) => Uint32Array.from(known(session.items)));
const sessions = rowsFrom(train.map((session) => known(session.items)));
const endedAt = Float64Array.from(train, (session) => session.endedAt);
const productCount = indexOf.size;

/** Products by the number of their steps. */
function byPopularity(): (query: Uint32Array) => Candidates {
  const counts = new Float64Array(productCount);
  for (const item of sessions.items) counts[item]!++;
  const best = createTopK();
  best.reset(20);
  for (const [item, count] of counts.entries()) best.offer(item, count);
  const answer = best.take();
  return () => answer;
}

/** Cosine of the sets of sessions of the last item and each other one. */
function byItems(): (query: Uint32Array) => Candidates {
  const rows = train.map((session) => [...new Set(known(session.items))]);
  const sessionsOf: number[][] = Array.from({ length: productCount }, () => []);
  for (const [s, items] of rows.entries()) for (const item of items) sessionsOf[item]!.push(s);
  const counts = new Float64Array(productCount);
  const best = createTopK();
  return (query) => {
    const last = query.at(-1);
    if (last === undefined) return NO_CANDIDATES;
    counts.fill(0);
    for (const s of sessionsOf[last]!) for (const item of rows[s]!) counts[item]!++;
    best.reset(20);
    for (const [item, count] of counts.entries()) {
      if (count > 0 && item !== last) {
        best.offer(item, count / Math.sqrt(sessionsOf[item]!.length * sessionsOf[last]!.length));
      }
    }
    return best.take();
  };
}

function judge(title: string, answer: (query: Uint32Array) => Candidates): void {
  let steps = 0;
  let hits = 0;
  let reciprocal = 0;
  const times: number[] = [];
  for (const items of dev) {
    for (let length = 1; length < items.length; length++) {
      const begun = performance.now();
      const { indices } = answer(items.subarray(0, length));
      times.push(performance.now() - begun);
      const rank = indices.indexOf(items[length]!);
      steps++;
      if (rank >= 0) hits++;
      if (rank >= 0) reciprocal += 1 / (rank + 1);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(3);
  const figures = [hits / steps, reciprocal / steps].map((x) => x.toFixed(4));
  console.log([title.padEnd(34), ...figures, at(0.5).padStart(7), at(0.99).padStart(7)].join("  "));
}

console.log(`${name}: ${train.length} sessions, ${productCount} products; ${dev.length} sessions of dev`);
console.log(["".padEnd(34), "HR@20 ", "MRR@20", " p50 ms", " p99 ms"].join("  "));
judge("popularity", byPopularity());
judge("item kNN (last item, cosine)", byItems());
const chosen = (): SessionParams => {
  const begun = performance.now();
  const choice = chooseSessionParams({ sessions, endedAt }, productCount);
  const tried = choice.tried.map((t) => `${t.name} ${t.hitRate.toFixed(4)}/${t.reciprocalRank.toFixed(4)}`);
  console.log(`chosen in ${(performance.now() - begun).toFixed(0)} ms: ${tried.join(", ")}`);
  return choice.params;
};
const isPreset = (text: string): text is keyof typeof SESSION_PRESETS => text in SESSION_PRESETS;
const params = isPreset(values.preset) ? SESSION_PRESETS[values.preset] : chosen();
const begun = performance.now();
const model = fitSessionNeighbours({ sessions, endedAt }, productCount, params);
console.log(`fitted in ${(performance.now() - begun).toFixed(0)} ms`);
const recommender = createSessionRecommender(model);
judge(`session neighbours (${values.preset})`, (items) => recommender.recommend({ items }, 20));
