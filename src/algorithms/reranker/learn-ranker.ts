/**
 * Learns a re-ranker from the newest sessions: sources are fitted on what came before, asked for candidates at every
 * step of the newest sessions, and the trees learn which candidate was met next. A fifth of these sessions is held out:
 * it stops the boosting, and it judges. A ranker that is no better there than session neighbours alone is dropped.
 * For serving the sources are fitted again on everything.
 */
import { binRow, type FeatureBins, learnBins } from "../gradient-boosting/bins.js";
import { addScores, type Forest, treeCount } from "../gradient-boosting/forest.js";
import {
  BOOSTING_DEFAULTS,
  type BoostingParams,
  boostRanking,
  type RankedGroups,
} from "../gradient-boosting/listwise.js";
import { createRandom } from "../random.js";
import { rowCount } from "../rows.js";
import { fitSessionNeighbours } from "../session-neighbours.js";
import type { SessionParams } from "../session-params.js";
import {
  type CandidateFeatures,
  createCandidateFeatures,
  FEATURE_COUNT,
  MAX_CANDIDATES,
} from "./candidate-features.js";
import { type Question, queryOf, questionCount, questionsFrom } from "./questions.js";
import { fitRankerSources } from "./ranker-sources.js";
import { firstVisits, type Visits } from "./visits.js";

export interface Judgement {
  /** Share of the questions whose answer is among the first 20. */
  readonly hitRate: number;
  /** Mean of 1 / place of the answer, 0 beyond the first 20. */
  readonly reciprocalRank: number;
}

export interface LearnedRanker {
  /** Undefined when there was too little to learn from, or session neighbours alone did as well. */
  readonly forest: Forest | undefined;
  /** Why there is no forest; "" when there is one. */
  readonly reason: string;
  readonly questions: number;
  /** On the held-out sessions; undefined when nothing was learned. */
  readonly judged: { readonly ranker: Judgement; readonly neighbours: Judgement } | undefined;
}

export interface RankerBudget {
  /** Newest sessions are taken until they hold so many questions, or until they are this share of all. */
  readonly sliceQuestions: number;
  readonly sliceShare: number;
  /** Questions learned from and judged by, evenly chosen. */
  readonly learned: number;
  readonly heldOut: number;
  /** With fewer questions there is no ranker. */
  readonly least: number;
}

export const RANKER_BUDGET: RankerBudget = {
  sliceQuestions: 45_000,
  sliceShare: 0.2,
  learned: 30_000,
  heldOut: 5_000,
  least: 400,
};

const DEPTH = 20;
/** Of so many sessions one is held out. */
const HELD_OUT = 5;
const PILOT = 500;
const BOOSTING: BoostingParams = { ...BOOSTING_DEFAULTS, trees: 250, patience: 12, focus: 0.2 };
/** Few questions allow fewer, smaller steps. */
const FEW: BoostingParams = { ...BOOSTING, leaves: 6, learningRate: 0.07, l2: 10, topShare: 1, otherShare: 0 };
const FEW_QUESTIONS = 3_000;

export function learnRanker(
  visits: Visits,
  productCount: number,
  params: SessionParams,
  seed: number,
  budget: RankerBudget = RANKER_BUDGET,
): LearnedRanker {
  const first = firstOfSlice(visits, budget);
  const older = firstVisits(visits, first);
  const isKnown = new Uint8Array(productCount);
  for (const item of older.sessions.items) isKnown[item] = 1;
  // What nobody had met before cannot be answered by anyone.
  const all = [...questionsFrom(visits, first)].filter(({ next }) => isKnown[next] === 1);
  if (all.length < budget.least)
    return {
      forest: undefined,
      reason: `${all.length} steps in the newest sessions, ${budget.least} are needed`,
      questions: all.length,
      judged: undefined,
    };
  const isHeldOut = ({ session }: Question) => session % HELD_OUT === 0;
  const learned = evenly(
    all.filter((question) => !isHeldOut(question)),
    budget.learned,
  );
  const heldOut = evenly(all.filter(isHeldOut), budget.heldOut);
  const neighbours = fitSessionNeighbours(older, productCount, params);
  const features = createCandidateFeatures(fitRankerSources(older, neighbours, seed));
  const bins = learnBins(pilotRows(features, visits, evenly(learned, PILOT)), FEATURE_COUNT);
  const { forest } = boostRanking(
    bins,
    groupsOf(features, bins, visits, learned),
    groupsOf(features, bins, visits, heldOut),
    learned.length < FEW_QUESTIONS ? FEW : BOOSTING,
    createRandom(seed),
  );
  const judged = judge(features, forest, visits, heldOut);
  const worth = ({ hitRate, reciprocalRank }: Judgement) => hitRate + reciprocalRank;
  const isBetter = treeCount(forest) > 0 && worth(judged.ranker) > worth(judged.neighbours);
  return {
    forest: isBetter ? forest : undefined,
    reason: isBetter ? "" : "no better than session neighbours on the newest sessions",
    questions: learned.length,
    judged,
  };
}

/** The row at which the newest sessions begin. */
function firstOfSlice(visits: Visits, { sliceQuestions, sliceShare }: RankerBudget): number {
  const total = rowCount(visits.sessions);
  const least = total - Math.floor(total * sliceShare);
  let first = total;
  for (let questions = 0; first > least && questions < sliceQuestions; ) questions += questionCount(visits, --first);
  return first;
}

/** At most `most` of the list, spread evenly over it. */
function evenly<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]!);
}

function pilotRows(features: CandidateFeatures, visits: Visits, questions: readonly Question[]): Float32Array {
  const rows = questions.map((question) =>
    features.rows.slice(0, features.make(queryOf(visits, question)) * FEATURE_COUNT),
  );
  const all = new Float32Array(rows.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of rows) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The questions whose answers are among the candidates. */
function groupsOf(
  features: CandidateFeatures,
  bins: FeatureBins,
  visits: Visits,
  questions: readonly Question[],
): RankedGroups {
  const groups = [0];
  const answers: number[] = [];
  let binned = new Uint8Array(1 << 20);
  let rows = 0;
  for (const question of questions) {
    const count = features.make(queryOf(visits, question));
    const answer = features.candidates.subarray(0, count).indexOf(question.next);
    if (answer < 0) continue;
    if ((rows + MAX_CANDIDATES) * FEATURE_COUNT > binned.length) {
      const larger = new Uint8Array(binned.length * 2);
      larger.set(binned);
      binned = larger;
    }
    for (let c = 0; c < count; c++) {
      const row = features.rows.subarray(c * FEATURE_COUNT, (c + 1) * FEATURE_COUNT);
      binRow(bins, row, binned, (rows + c) * FEATURE_COUNT);
    }
    answers.push(rows + answer);
    rows += count;
    groups.push(rows);
  }
  return {
    binned: binned.slice(0, rows * FEATURE_COUNT),
    groups: Uint32Array.from(groups),
    answers: Uint32Array.from(answers),
  };
}

function judge(features: CandidateFeatures, forest: Forest, visits: Visits, questions: readonly Question[]) {
  const places = { ranker: [] as number[], neighbours: [] as number[] };
  const scores = new Float64Array(MAX_CANDIDATES);
  for (const question of questions) {
    const count = features.make(queryOf(visits, question));
    const answer = features.candidates.subarray(0, count).indexOf(question.next);
    if (answer < 0) continue;
    scores.fill(0, 0, count);
    addScores(forest, features.rows, count, scores);
    const close = Float64Array.from(features.candidates.subarray(0, count), (c) => features.close.values[c]!);
    places.ranker.push(placeOf(answer, scores.subarray(0, count)));
    if (close[answer]! > 0) places.neighbours.push(placeOf(answer, close));
  }
  const judgementOf = (found: readonly number[]): Judgement => {
    const near = found.filter((place) => place <= DEPTH);
    return {
      hitRate: near.length / questions.length,
      reciprocalRank: near.reduce((sum, place) => sum + 1 / place, 0) / questions.length,
    };
  };
  return { ranker: judgementOf(places.ranker), neighbours: judgementOf(places.neighbours) };
}

/** From 1; of equal scores the answer's counts last. */
function placeOf(answer: number, scores: Float64Array): number {
  return scores.reduce((place, score, i) => (i !== answer && score >= scores[answer]! ? place + 1 : place), 1);
}
