/**
 * Learns a re-ranker from the newest sessions. Sources are fitted on the sessions before; they propose candidates at every
 * step of the newest ones, and the trees learn which candidate comes next. If the newest tenth of the sessions has too few
 * steps, the tenth before it serves too, with sources fitted on the sessions before that, and so on. So the sources are
 * never much older than in serving.
 *
 * A fifth of these sessions is held out: it stops the boosting, and its newest part judges. A ranker no better there than
 * session neighbours alone is dropped. For serving the sources are fitted again on all sessions.
 *
 * A shipped forest was learned from other shops. With too few steps it serves alone; with some, trees of the shop's own
 * are added to it as far as held-out sessions show a gain; with many, or where both fail, own trees are learned alone.
 */

import { createRandom } from "../../common/random.js";
import { evenly, rowCount } from "../../common/rows.js";
import { fitSessionNeighbours, type SessionParams } from "../../sources/sessions/session-neighbours.js";
import type { Judgement } from "../judgement.js";
import { type FeatureBins, learnBinsOfParts } from "../trees/bins.js";
import { type Forest, joinForests, treeCount } from "../trees/forest.js";
import { createForestScorer, type ForestScorer } from "../trees/forest-scorer.js";
import { BOOSTING_DEFAULTS, type BoostingParams, boostRanking, type RankedGroups } from "../trees/listwise.js";
import { createRankedGroups, type RankedGroupsBuilder } from "../trees/ranked-groups.js";
import { type CandidateFeatures, createCandidateFeatures } from "./candidate-features.js";
import { FEATURE_COUNT } from "./feature-names.js";
import { type AskedFeatures, type JudgedForest, judgeForest } from "./judge-forests.js";
import { type Question, queryOf, questionCount, questionsFrom } from "./questions.js";
import { type Embedding, fitRankerSources } from "./ranker-sources.js";
import { firstVisits, type VisitQuery, type Visits } from "./visits.js";

/** Whose trees a forest holds: those that were shipped, those of the shop, or both. */
export type ForestOrigin = "shipped" | "own" | "shipped_and_own";

export interface LearnedRanker {
  /** Undefined when there was too little to learn from, or session neighbours alone did as well. */
  readonly forest: Forest | undefined;
  readonly origin: ForestOrigin;
  /** Why there is no forest; "" when there is one. */
  readonly reason: string;
  readonly questions: number;
  /** On sessions that no tree learned from; undefined when there were none. */
  readonly judged: JudgedForest | undefined;
}

export interface RankerBudget {
  /** Newest sessions are taken until they hold so many questions, or nearly so many. */
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
export interface Slice {
  readonly older: Visits;
  readonly learned: readonly Question[];
  readonly heldOut: readonly Question[];
}

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

export function boostingFor(questions: number): BoostingParams {
  if (questions < FEW_QUESTIONS) return FEW;
  if (questions < SOME_QUESTIONS) return { ...SOME, trees: Math.ceil(questions / QUESTIONS_A_TREE) };
  return BOOSTING;
}

/** The forest that ships asks the graph's. Smaller shops were not judged with vectors learned from visits. */
export function embeddingFor(questions: number): Embedding {
  return questions < SOME_QUESTIONS ? "graph" : "visits";
}

/** How much better than session neighbours a shipped forest is held to be before any question, and by how many of them. */
const SHIPPED_LEAD = 0.02;
const SHIPPED_QUESTIONS = 200;

export function learnRanker(
  visits: Visits,
  productCount: number,
  params: SessionParams,
  seed: number,
  budget: RankerBudget = RANKER_BUDGET,
  shipped?: Forest,
): LearnedRanker {
  const slices = newestSlices(visits, productCount, budget);
  const [newest] = slices;
  const questions = slices.reduce((sum, { learned, heldOut }) => sum + learned.length + heldOut.length, 0);
  const featuresOf = ({ older }: Slice) => {
    const neighbours = fitSessionNeighbours(older, productCount, params);
    return createCandidateFeatures(fitRankerSources(older, neighbours, seed, embeddingFor(questions)));
  };
  if (newest === undefined || questions < budget.least || newest.heldOut.length === 0) {
    const reason = `${questions} steps in the newest sessions, ${budget.least} are needed`;
    if (shipped === undefined) return { forest: undefined, origin: "own", reason, questions, judged: undefined };
    const asked = slices.map((slice) => ({
      features: featuresOf(slice),
      questions: [...slice.learned, ...slice.heldOut],
    }));
    return tried({ forest: shipped, origin: "shipped" }, visits, asked, questions);
  }
  const isSmall = questions < SOME_QUESTIONS;
  const newestFeatures = featuresOf(newest);
  const bins = pilotBins(newestFeatures, visits, newest);
  const prior = questions < FEW_QUESTIONS && shipped ? createForestScorer(shipped) : undefined;
  const startingScores = prior && startingScoresOf(prior);
  const learned = createRankedGroups(bins, startingScores);
  const heldOut = createRankedGroups(bins, startingScores);
  const judgedBy: AskedFeatures[] = [];
  for (const slice of slices) {
    const features = slice === newest ? newestFeatures : featuresOf(slice);
    for (const question of slice.learned) addQuestion(learned, features, queryOf(visits, question), question.next);
    for (const question of slice.heldOut) addQuestion(heldOut, features, queryOf(visits, question), question.next);
    // The sources of all slices together would take the memory of a large shop.
    if (slice === newest || isSmall) judgedBy.push({ features, questions: slice.heldOut });
  }
  const grow = (of: (groups: RankedGroups) => RankedGroups) =>
    boostRanking(bins, of(learned.all()), of(heldOut.all()), boostingFor(questions), createRandom(seed));
  if (prior && shipped) {
    const { forest: added } = grow((groups) => groups);
    const origin = treeCount(added) === 0 ? "shipped" : "shipped_and_own";
    const both = tried({ forest: joinForests(shipped, added), origin }, visits, judgedBy, questions);
    if (both.forest !== undefined) return both;
  }
  return tried({ forest: grow(withoutOffsets).forest, origin: "own" }, visits, judgedBy, questions);
}

/** Adds the candidates of a question; returns how many, 0 and none when its answer is not among them. */
export function addQuestion(
  groups: RankedGroupsBuilder,
  features: CandidateFeatures,
  query: VisitQuery,
  answer: number,
): number {
  const count = features.make(query);
  const place = features.candidates.subarray(0, count).indexOf(answer);
  if (place < 0) return 0;
  groups.add(features.rows, count, place);
  return count;
}

/** What a forest says of rows, as scores that further trees start from. */
function startingScoresOf(forest: ForestScorer): (rows: Float32Array) => Float32Array {
  return (rows) => {
    const scores = new Float64Array(rows.length / FEATURE_COUNT);
    forest(rows, scores.length, scores);
    return Float32Array.from(scores);
  };
}

function withoutOffsets({ binned, groups, answers }: RankedGroups): RankedGroups {
  return { binned, groups, answers };
}

/** Dropped when session neighbours alone do as well; a shipped forest, when they do so beyond what is known of it. */
function tried(
  { forest, origin }: { readonly forest: Forest; readonly origin: ForestOrigin },
  visits: Visits,
  asked: readonly AskedFeatures[],
  questions: number,
): LearnedRanker {
  const judges = asked.reduce((sum, one) => sum + one.questions.length, 0);
  const judged = judges === 0 ? undefined : judgeForest(forest, visits, asked);
  const worth = ({ hitRate, reciprocalRank }: Judgement) => hitRate + reciprocalRank;
  const lead = judged === undefined ? 0 : worth(judged.ranker) - worth(judged.neighbours);
  const known = origin === "own" ? 0 : SHIPPED_LEAD * SHIPPED_QUESTIONS;
  const isBetter = treeCount(forest) > 0 && lead * judges + known > 0;
  return {
    forest: isBetter ? forest : undefined,
    origin,
    reason: isBetter ? "" : "no better than session neighbours on the newest sessions",
    questions,
    judged,
  };
}

/** Share of the questions that is enough: a slice for the rest would cost another fit of the sources. */
const ENOUGH = 0.9;

/** Slices from the newest back, until they hold enough questions. Products nobody had met before are no answers. */
export function newestSlices(visits: Visits, productCount: number, budget: RankerBudget): Slice[] {
  const total = rowCount(visits.sessions);
  const size = Math.floor(total * budget.sliceShare);
  const slices: { older: Visits; questions: Question[] }[] = [];
  let asked = 0;
  const mayTake = () => slices.length < (asked < SOME_QUESTIONS ? budget.fewSlices : budget.slices);
  for (let end = total; mayTake() && asked < ENOUGH * budget.questions && end > size && size > 0; ) {
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

/** Bins of the features, from some questions of a slice. */
export function pilotBins(features: CandidateFeatures, visits: Visits, { learned }: Slice): FeatureBins {
  const parts = evenly(learned, PILOT).map((question) =>
    features.rows.slice(0, features.make(queryOf(visits, question)) * FEATURE_COUNT),
  );
  return learnBinsOfParts(parts, FEATURE_COUNT);
}
