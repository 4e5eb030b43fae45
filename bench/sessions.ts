/**
 * Next-item prediction by the re-ranker and by session neighbours alone, beside popularity and item-to-item neighbours.
 *
 *     npx tsx bench/sessions.ts diginetica|yoochoose_100k|tmall [--preset browsing|quick|returning|chosen] [--every N] [--held-back]
 *
 * Learns the train part and judges on dev: each prefix of a session predicts the next item. Items that train does not
 * hold are neither asked with nor judged. HR@20: share of steps whose item is among the 20 proposed; MRR@20: mean of
 * 1 / its rank. Repeats are proposed; the columns `new` judge only steps to products that are new to the session, among
 * such products. Sessions without clock times count one minute each. `--every` takes every N-th session of dev; `--held-back`
 * judges on the newest sessions of train instead, for tuning.
 */
import { parseArgs } from "node:util";
import { type Candidates, NO_CANDIDATES } from "../src/learning/common/candidates.js";
import { rowCount, rowOf } from "../src/learning/common/rows.js";
import { createTopK } from "../src/learning/common/top-k.js";
import { treeCount } from "../src/learning/ranking/gradient-boosting/forest.js";
import { embeddingFor, learnRanker } from "../src/learning/ranking/reranker/learn-ranker.js";
import { queryOf } from "../src/learning/ranking/reranker/questions.js";
import { createVisitRecommender } from "../src/learning/ranking/reranker/ranker.js";
import { fitRankerSources } from "../src/learning/ranking/reranker/ranker-sources.js";
import type { VisitQuery } from "../src/learning/ranking/reranker/visits.js";
import { createSessionRecommender, fitSessionNeighbours } from "../src/learning/session/session-neighbours.js";
import { SESSION_PRESETS, type SessionParams } from "../src/learning/session/session-params.js";
import { chooseSessionParams } from "../src/learning/session/session-tuning.js";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { readSessionData } from "./session-data.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    preset: { type: "string", default: "chosen" },
    every: { type: "string", default: "1" },
    "held-back": { type: "boolean", default: false },
  },
});
const name = positionals[0] ?? "diginetica";
if (!needsSharedData("behaviour", name)) process.exit(2);
const SEED = 20_261_121;

const {
  productCount,
  visits,
  judged: dev,
  questions,
} = readSessionData(name, Number(values.every), values["held-back"]);
const { sessions, endedAt } = visits;

/** Products by the number of their steps. */
function byPopularity(): () => Candidates {
  const counts = new Float64Array(productCount);
  for (const item of sessions.items) counts[item]!++;
  const best = createTopK();
  best.reset(100);
  for (const [item, count] of counts.entries()) best.offer(item, count);
  const answer = best.take();
  return () => answer;
}

/** Cosine of the sets of sessions of the last item and each other one. */
function byItems(): (query: VisitQuery) => Candidates {
  const rows = Array.from({ length: rowCount(sessions) }, (_, s) => [...new Set(rowOf(sessions, s))]);
  const sessionsOf: number[][] = Array.from({ length: productCount }, () => []);
  for (const [s, items] of rows.entries()) for (const item of items) sessionsOf[item]!.push(s);
  const counts = new Float64Array(productCount);
  const best = createTopK();
  return ({ items }) => {
    const last = items.at(-1);
    if (last === undefined) return NO_CANDIDATES;
    counts.fill(0);
    for (const s of sessionsOf[last]!) for (const item of rows[s]!) counts[item]!++;
    best.reset(100);
    for (const [item, count] of counts.entries()) {
      if (count > 0 && item !== last) {
        best.offer(item, count / Math.sqrt(sessionsOf[item]!.length * sessionsOf[last]!.length));
      }
    }
    return best.take();
  };
}

function judge(title: string, answer: (query: VisitQuery, k: number) => Candidates): void {
  const all = { asked: 0, hits: 0, reciprocal: 0 };
  const news = { asked: 0, hits: 0, reciprocal: 0 };
  const times: number[] = [];
  const take = (sums: typeof all, place: number) => {
    sums.asked++;
    if (place < 0 || place >= 20) return;
    sums.hits++;
    sums.reciprocal += 1 / (place + 1);
  };
  for (const question of questions) {
    const query = queryOf(dev, question);
    const begun = performance.now();
    const { indices } = answer(query, 100);
    times.push(performance.now() - begun);
    take(all, indices.indexOf(question.next));
    if (!query.items.includes(question.next))
      take(news, indices.filter((product) => !query.items.includes(product)).indexOf(question.next));
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(3);
  const figures = [all, news].flatMap(({ asked, hits, reciprocal }) => [hits / asked, reciprocal / asked]);
  console.log(
    [title.padEnd(34), ...figures.map((x) => x.toFixed(4)), at(0.5).padStart(7), at(0.99).padStart(7)].join("  "),
  );
}

console.log(`${name}: ${rowCount(sessions)} sessions, ${productCount} products; ${questions.length} steps of dev`);
console.log(["".padEnd(34), "HR@20 ", "MRR@20", "new HR", "newMRR", " p50 ms", " p99 ms"].join("  "));
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
judge(`session neighbours (${values.preset})`, ({ items }, k) => recommender.recommend({ items }, k));

const learning = performance.now();
const { forest, reason, judged, questions: learned } = learnRanker(visits, productCount, params, SEED);
console.log(
  `ranker learned from ${learned} steps in ${((performance.now() - learning) / 1000).toFixed(1)} s ${reason}`,
);
console.log(`on the newest sessions of train: ${JSON.stringify(judged)}, ${forest && treeCount(forest)} trees`);
if (forest !== undefined) {
  const refitting = performance.now();
  const sources = fitRankerSources(visits, model, SEED, embeddingFor(learned));
  console.log(`sources fitted again in ${((performance.now() - refitting) / 1000).toFixed(1)} s`);
  const ranker = createVisitRecommender({ sources, forest });
  judge("re-ranker", (query, k) => ranker.recommend(query, k));
}
console.log(`memory ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
