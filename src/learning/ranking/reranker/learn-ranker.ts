/**
 * Learns a re-ranker from the newest sessions. Sources are fitted on the sessions before; they propose candidates at every
 * step of the newest ones, and the trees learn which candidate comes next. If the newest tenth of the sessions has too few
 * steps, the tenth before it serves too, with sources fitted on the sessions before that, and so on. So the sources are
 * never much older than in serving.
 *
 * A fifth of these sessions is held out: it stops the boosting, and its newest part judges. A ranker no better there than
 * session neighbours alone is dropped. For serving the sources are fitted again on all sessions.
 */

import { createRandom } from "../../common/random.js";
import { evenly, rowCount } from "../../common/rows.js";
import { fitSessionNeighbours } from "../../session/session-neighbours.js";
import type { SessionParams } from "../../session/session-params.js";
import { learnBins } from "../gradient-boosting/bins.js";
import { type Forest, treeCount } from "../gradient-boosting/forest.js";
import { createForestScorer } from "../gradient-boosting/forest-scorer.js";
import { BOOSTING_DEFAULTS, type BoostingParams, boostRanking } from "../gradient-boosting/listwise.js";
import { type CandidateFeatures, createCandidateFeatures } from "./candidate-features.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { FEATURE_COUNT } from "./feature-names.js";
import { createGroups } from "./groups.js";
import { type Question, queryOf, questionCount, questionsFrom } from "./questions.js";
import { fitRankerSources } from "./ranker-sources.js";
import { scoreAt } from "./score-board.js";
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
  /** Newest sessions are taken until they hold so many questions. */
  readonly questions: number;
  /** Sessions that are asked of one fit of the sources, as a share of all; and how many such slices there are at most. */
  readonly sliceShare: number;
  readonly slices: number;
  /** Slices of a shop whose first so many hold fewer questions than small trees are for: more would take its time. */
  readonly fewSlices: number;
  /** Questions learned from and judged by, evenly chosen. */
  readonly learned: number;
  readonly heldOut: number;
  /** With fewer questions there is no ranker. */
  readonly least: number;
}

export const RANKER_BUDGET: RankerBudget = {
  questions: 45_000,
  sliceShare: 0.1,
  slices: 6,
  fewSlices: 4,
  learned: 30_000,
  heldOut: 5_000,
  least: 400,
};

/** Sessions that are asked, of sources fitted on those before them. */
interface Slice {
  readonly older: Visits;
  readonly learned: readonly Question[];
  readonly heldOut: readonly Question[];
}

const DEPTH = 20;
/** Of so many sessions one is held out. */
const HELD_OUT = 5;
/** True for rows of sessions that a ranker of these visits never learns from. */
export function isHeldOut(session: number): boolean {
  return session % HELD_OUT === 0;
}
const PILOT = 500;
const BOOSTING: BoostingParams = {
  ...BOOSTING_DEFAULTS,
  trees: 300,
  leaves: 24,
  learningRate: 0.05,
  minHessian: 10,
  patience: 20,
  focus: 0.2,
  thinAfter: 10,
  thinTo: 32,
};
/** Fewer questions allow fewer, larger steps with smaller trees: a small shop learns in seconds. */
const SOME: BoostingParams = { ...BOOSTING, trees: 200, leaves: 15, learningRate: 0.1, minHessian: 5 };
const SOME_QUESTIONS = 10_000;
/** As many trees as there are so many questions; later ones gain next to nothing. */
const QUESTIONS_A_TREE = 50;
const FEW: BoostingParams = { ...SOME, trees: 150, leaves: 6, learningRate: 0.07, l2: 10, topShare: 1, otherShare: 0 };
const FEW_QUESTIONS = 3_000;

function boostingFor(questions: number): BoostingParams {
  if (questions < FEW_QUESTIONS) return FEW;
  if (questions < SOME_QUESTIONS) return { ...SOME, trees: Math.ceil(questions / QUESTIONS_A_TREE) };
  return BOOSTING;
}

export function learnRanker(
  visits: Visits,
  productCount: number,
  params: SessionParams,
  seed: number,
  budget: RankerBudget = RANKER_BUDGET,
): LearnedRanker {
  const slices = newestSlices(visits, productCount, budget);
  const [newest] = slices;
  const questions = slices.reduce((sum, { learned, heldOut }) => sum + learned.length + heldOut.length, 0);
  if (newest === undefined || questions < budget.least || newest.heldOut.length === 0) {
    const reason = `${questions} steps in the newest sessions, ${budget.least} are needed`;
    return { forest: undefined, reason, questions, judged: undefined };
  }
  const featuresOf = ({ older }: Slice) => {
    const neighbours = fitSessionNeighbours(older, productCount, params);
    return createCandidateFeatures(fitRankerSources(older, neighbours, seed));
  };
  const newestFeatures = featuresOf(newest);
  const bins = learnBins(pilotRows(newestFeatures, visits, evenly(newest.learned, PILOT)), FEATURE_COUNT);
  const learned = createGroups(bins);
  const heldOut = createGroups(bins);
  for (const slice of slices) {
    const features = slice === newest ? newestFeatures : featuresOf(slice);
    for (const question of slice.learned) learned.add(features, queryOf(visits, question), question.next);
    for (const question of slice.heldOut) heldOut.add(features, queryOf(visits, question), question.next);
  }
  const { forest } = boostRanking(bins, learned.all(), heldOut.all(), boostingFor(questions), createRandom(seed));
  const judged = judge(newestFeatures, forest, visits, newest.heldOut);
  const worth = ({ hitRate, reciprocalRank }: Judgement) => hitRate + reciprocalRank;
  const isBetter = treeCount(forest) > 0 && worth(judged.ranker) > worth(judged.neighbours);
  return {
    forest: isBetter ? forest : undefined,
    reason: isBetter ? "" : "no better than session neighbours on the newest sessions",
    questions,
    judged,
  };
}

/** Slices from the newest back, until they hold enough questions. Products nobody had met before are no answers. */
function newestSlices(visits: Visits, productCount: number, budget: RankerBudget): Slice[] {
  const total = rowCount(visits.sessions);
  const size = Math.floor(total * budget.sliceShare);
  const slices: { older: Visits; questions: Question[] }[] = [];
  let asked = 0;
  const mayTake = () => slices.length < (asked < SOME_QUESTIONS ? budget.fewSlices : budget.slices);
  for (let end = total; mayTake() && asked < budget.questions && end > size && size > 0; ) {
    let first = end;
    for (let steps = 0; first > end - size && asked + steps < budget.questions; )
      steps += questionCount(visits, --first);
    const older = firstVisits(visits, first);
    const isKnown = new Uint8Array(productCount);
    for (const item of older.sessions.items) isKnown[item] = 1;
    const questions = [...questionsFrom(firstVisits(visits, end), first)].filter(({ next }) => isKnown[next] === 1);
    slices.push({ older, questions });
    asked += questions.length;
    end = first;
  }
  const partOf = (questions: readonly Question[], most: number) =>
    evenly(questions, Math.round((most * questions.length) / Math.max(1, asked)));
  return slices.map(({ older, questions }) => ({
    older,
    learned: partOf(
      questions.filter(({ session }) => !isHeldOut(session)),
      budget.learned / (1 - 1 / HELD_OUT),
    ),
    heldOut: partOf(
      questions.filter(({ session }) => isHeldOut(session)),
      budget.heldOut * HELD_OUT,
    ),
  }));
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

function judge(features: CandidateFeatures, forest: Forest, visits: Visits, questions: readonly Question[]) {
  const places = { ranker: [] as number[], neighbours: [] as number[] };
  const scores = new Float64Array(MAX_CANDIDATES);
  const addScores = createForestScorer(forest);
  for (const question of questions) {
    const count = features.make(queryOf(visits, question));
    const answer = features.candidates.subarray(0, count).indexOf(question.next);
    if (answer < 0) continue;
    scores.fill(0, 0, count);
    addScores(features.rows, count, scores);
    const close = Float64Array.from(features.candidates.subarray(0, count), (product) =>
      scoreAt(features.close, features.slots.of(product)),
    );
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
