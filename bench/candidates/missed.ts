/** Why the learned order misses what plain session neighbours hit: the answer is no candidate, or stands further down. */
import { rowCount, rowOf } from "../../src/learning/common/rows.js";
import { createForestScorer } from "../../src/learning/ranking/gradient-boosting/forest-scorer.js";
import { createCandidateFeatures } from "../../src/learning/ranking/reranker/candidate-features.js";
import { MAX_CANDIDATES } from "../../src/learning/ranking/reranker/candidate-set.js";
import { embeddingFor, learnRanker } from "../../src/learning/ranking/reranker/learn-ranker.js";
import { type Question, queryOf } from "../../src/learning/ranking/reranker/questions.js";
import { fitRankerSources } from "../../src/learning/ranking/reranker/ranker-sources.js";
import type { Visits } from "../../src/learning/ranking/reranker/visits.js";
import { fitSessionNeighbours } from "../../src/learning/session/session-neighbours.js";
import { chooseSessionParams } from "../../src/learning/session/session-tuning.js";
import type { SessionData } from "../session-data.js";

const DEPTH = 20;
const DEEPER = 40;
/** Of the newest so many sessions that share a product, so many are neighbours. */
const NEWEST = 1000;
const NEIGHBOURS = 500;

/** SKNN: sessions by the cosine of their sets of products; a product's score is the sum over its neighbours. */
function plainNeighbours({ sessions }: Visits, productCount: number): (items: Uint32Array) => number[] {
  const sets = Array.from({ length: rowCount(sessions) }, (_, s) => [...new Set(rowOf(sessions, s))]);
  const holders: number[][] = Array.from({ length: productCount }, () => []);
  for (const [s, set] of sets.entries()) for (const product of set) holders[product]!.push(s);
  return (items) => {
    const asked = [...new Set(items)];
    const shared = new Map<number, number>();
    for (const product of asked) for (const s of holders[product]!) shared.set(s, (shared.get(s) ?? 0) + 1);
    const newest = [...shared.keys()].sort((a, b) => b - a).slice(0, NEWEST);
    const alike = newest.map((s) => ({ s, cosine: shared.get(s)! / Math.sqrt(asked.length * sets[s]!.length) }));
    alike.sort((a, b) => b.cosine - a.cosine || b.s - a.s);
    const scores = new Map<number, number>();
    for (const { s, cosine } of alike.slice(0, NEIGHBOURS))
      for (const product of sets[s]!) scores.set(product, (scores.get(product) ?? 0) + cosine);
    return [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([product]) => product);
  };
}

/** Prints how many hits each has alone, and where the learned order has those it misses. */
export function judgeMissed({ visits, productCount, judged, questions }: SessionData, seed: number): void {
  const { params } = chooseSessionParams(visits, productCount);
  const { forest, questions: learned } = learnRanker(visits, productCount, params, seed);
  if (forest === undefined) throw new Error("no order was learned");
  const sources = fitRankerSources(
    visits,
    fitSessionNeighbours(visits, productCount, params),
    seed,
    embeddingFor(learned),
  );
  const features = createCandidateFeatures(sources);
  const addScores = createForestScorer(forest);
  const plain = plainNeighbours(visits, productCount);
  /** Place of the answer in the learned order, from 1; undefined when it is no candidate. */
  const placeOf = (question: Question): number | undefined => {
    const count = features.make(queryOf(judged, question));
    const answer = features.candidates.subarray(0, count).indexOf(question.next);
    if (answer < 0) return undefined;
    const scores = new Float64Array(MAX_CANDIDATES);
    addScores(features.rows, count, scores);
    return scores.subarray(0, count).filter((score) => score >= scores[answer]!).length;
  };
  const places = questions.map((question) => ({
    ours: placeOf(question) ?? Number.POSITIVE_INFINITY,
    isTheirs: plain(queryOf(judged, question).items).slice(0, DEPTH).includes(question.next),
  }));
  const share = (which: (place: (typeof places)[number]) => boolean) =>
    `${places.filter(which).length} (${(places.filter(which).length / places.length).toFixed(4)})`;
  console.log(`hits of both ${share(({ ours, isTheirs }) => ours <= DEPTH && isTheirs)}`);
  console.log(`of the learned order alone ${share(({ ours, isTheirs }) => ours <= DEPTH && !isTheirs)}`);
  console.log(`of plain session neighbours alone ${share(({ ours, isTheirs }) => ours > DEPTH && isTheirs)}:`);
  console.log(`  ranked 21 to 40: ${share(({ ours, isTheirs }) => ours > DEPTH && ours <= DEEPER && isTheirs)}`);
  console.log(`  ranked lower: ${share(({ ours, isTheirs }) => ours > DEEPER && Number.isFinite(ours) && isTheirs)}`);
  console.log(`  no candidate: ${share(({ ours, isTheirs }) => !Number.isFinite(ours) && isTheirs)}`);
}
