/**
 * Ranks the candidates of a cart, or of a returning customer's next order, by boosted trees over their features
 * (`features.ts`). The trees learn from the newest orders, with sources that know only the older ones. They grow on
 * the older part of these orders and are judged on the newer, against each source alone. If no better, the best source
 * ranks. The winner is then learned again from all of the newest orders.
 *
 * Held-out month of a wholesaler, first 20 places, beside EASE^R and the best source alone:
 * hidden order lines HR .450, .417, .438; new products of customers' later orders HR .670 / recall .114, .589 / .090,
 * .586 / .092; next orders with what is bought again recall .246, .176, -. Candidates' titles, prices, ages beside those
 * of the cart, and what the same customers bought in other orders, were tried as features: no gain (newest month of
 * train, HR within .002). Learning takes some 40 s of CPU there (14,700 orders).
 */

import { fitItemGraph } from "../../common/item-graph.js";
import { createRandom } from "../../common/random.js";
import { evenly, firstRows, rowCount } from "../../common/rows.js";
import { type CartParams, fitCartComplements } from "../../sources/carts/complements.js";
import { cartSales } from "../../sources/carts/sales.js";
import { associationRules } from "../../sources/rules/association-rules.js";
import { type Judgement, judgementOf, placeOf } from "../judgement.js";
import { type FeatureBins, learnBinsOfParts } from "../trees/bins.js";
import { type Forest, treeCount } from "../trees/forest.js";
import { BOOSTING_DEFAULTS, type BoostingParams, boostRanking, type RankedGroups } from "../trees/listwise.js";
import { createRankedGroups, joinGroups } from "../trees/ranked-groups.js";
import { type CartCandidates, type CartSources, createCartCandidates, MAX_CANDIDATES } from "./candidates.js";
import { CART_FEATURES } from "./features.js";
import { type AnsweredQuestion, cartQuestions, type Orders, orderQuestions } from "./questions.js";
import {
  CART_LEADS,
  type CartOrder,
  type CartRanking,
  createLeadScorer,
  EMPTY_FOREST,
  type LeadScorer,
  startingScores,
} from "./ranking.js";

export interface CartRankingParams {
  /** Share of the newest orders to learn from; up to a quarter when there are few, to reach `minOrders`. */
  readonly newestShare: number;
  readonly minOrders: number;
  readonly maxOrders: number;
  /** Minimum number of questions for trees. */
  readonly minQuestions: number;
  readonly boosting: BoostingParams;
}

export const CART_RANKING_DEFAULTS: CartRankingParams = {
  newestShare: 0.125,
  minOrders: 1_500,
  maxOrders: 2_500,
  minQuestions: 300,
  boosting: {
    ...BOOSTING_DEFAULTS,
    trees: 120,
    leaves: 8,
    learningRate: 0.08,
    l2: 20,
    minHessian: 20,
    featureShare: 0.5,
    patience: 30,
    thinAfter: 10,
    thinTo: 48,
  },
};

/** The ranking as it was evaluated: its sources know older orders only, and its test orders were not learned from. */
export interface CartTrial {
  readonly sources: CartSources;
  readonly ranking: CartRanking;
  /** How many orders the sources know. */
  readonly knownOrders: number;
  /** Row of the first order that was not learned from. */
  readonly judgedFrom: number;
}

/** An order counts half in the cart's sources after this time. */
const HALF_LIFE_MS = 120 * 86_400_000;
/** Cosine of places up to five lines from each other, the nearer counting more. */
const PLACES = [1, 0.6, 0.4, 0.3, 0.2];
const NEAR = { after: PLACES, before: PLACES, balance: 0.5, keep: 50 };
/** Share of the newest orders that trees are grown on before they are judged on the others. */
const GROWN_ON = 0.7;

/** Fits what a cart ranking draws from. Ages are counted from `cutOff`, ms; orders as `Orders` has them. */
export function fitCartSources(
  { baskets, at }: Pick<Orders, "baskets" | "at">,
  productCount: number,
  cutOff: number,
  params: CartParams = {},
): CartSources {
  const weights = Float32Array.from(at, (time) => 2 ** (-(cutOff - time) / HALF_LIFE_MS));
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  return {
    cart: fitCartComplements(baskets, productCount, { basketWeights: weights.map((w) => w / mean), ...params }),
    rules: associationRules(baskets, productCount, { minTripleCount: 0 }),
    sales: cartSales(baskets, at, productCount, cutOff),
    near: fitItemGraph(baskets, weights, productCount, NEAR),
  };
}

/**
 * Learns from orders, and returns the data of the evaluation. Deterministic: the same orders and seed give the same
 * ranking.
 */
export function tryCartRanking(
  orders: Orders,
  productCount: number,
  seed: number,
  params: CartRankingParams = CART_RANKING_DEFAULTS,
): { readonly ranking: CartRanking; readonly trial: CartTrial } {
  const rows = rowCount(orders.baskets);
  const { newestShare, minOrders, maxOrders } = params;
  const wanted = Math.max(rows * newestShare, Math.min(minOrders, rows / 4));
  const from = rows - Math.floor(Math.min(maxOrders, wanted));
  const judgedFrom = from + Math.floor((rows - from) * GROWN_ON);
  const older = { baskets: firstRows(orders.baskets, from), at: orders.at.subarray(0, from) };
  const sources = fitCartSources(older, productCount, orders.at[from - 1] ?? 0);
  const order = (questions: AnsweredQuestion[]) => {
    const isKnown = ({ answer }: AnsweredQuestion) => sources.rules.productCounts[answer]! > 0;
    return fitOrder(sources, questions.filter(isKnown), judgedFrom, seed, params);
  };
  const random = createRandom(seed);
  const cart = order(cartQuestions(orders, from, rows, random));
  const customer = order(orderQuestions(orders, from, rows, random));
  const tried = { cart: cart.tried, customer: customer.tried };
  return {
    ranking: { cart: cart.order, customer: customer.order },
    trial: { sources, ranking: tried, knownOrders: from, judgedFrom },
  };
}

/** Questions from which the bins of features are learned. */
const PILOT = 600;

/** The order that is best on the newer questions: trees grown on the older ones, or one source alone. */
function fitOrder(
  sources: CartSources,
  questions: readonly AnsweredQuestion[],
  judgedFrom: number,
  seed: number,
  params: CartRankingParams,
): { readonly order: CartOrder; readonly tried: CartOrder } {
  const older = questions.filter(({ row }) => row < judgedFrom);
  const newer = questions.filter(({ row }) => row >= judgedFrom);
  const grown =
    older.length >= params.minQuestions ? growTrees(sources, older, newer, params.boosting, seed) : undefined;
  const leads = CART_LEADS.filter((lead) => lead !== "trees" || grown !== undefined);
  const judgements = judge(
    sources,
    newer,
    leads.map((lead) => createLeadScorer(lead, grown?.forest ?? EMPTY_FOREST)),
  );
  const judged = leads.map((lead, l) => ({ lead, ...judgements[l]! }));
  const best = judged.filter(({ lead }) => lead !== "trees").reduce((a, b) => (worth(b) > worth(a) ? b : a));
  const trees = judged.find(({ lead }) => lead === "trees");
  const facts = {
    judged: newer.length,
    bestSource: best.lead,
    bestSourceHitRate: best.hitRate,
    bestSourceReciprocalRank: best.reciprocalRank,
  };
  if (grown && trees && worth(trees) > worth(best)) {
    const tried = { ...trees, forest: grown.forest, ...facts };
    return { order: { ...tried, forest: grown.again() }, tried };
  }
  const order = { ...best, forest: EMPTY_FOREST, ...facts };
  return { order, tried: order };
}

interface GrownTrees {
  /** Grown on the older questions, as many trees as are best on the newer ones. */
  readonly forest: Forest;
  /** As many grown on all questions. */
  again(): Forest;
}

/** Undefined when no newer question has its answer among the candidates. */
function growTrees(
  sources: CartSources,
  older: readonly AnsweredQuestion[],
  newer: readonly AnsweredQuestion[],
  params: BoostingParams,
  seed: number,
): GrownTrees | undefined {
  const bins = pilotBins(sources, older);
  const learned = groupsOf(sources, older, bins);
  const heldOut = groupsOf(sources, newer, bins);
  if (heldOut.answers.length === 0) return undefined;
  const { forest } = boostRanking(bins, learned, heldOut, params, createRandom(seed));
  const again = () => {
    const all = joinGroups(learned, heldOut);
    const trees = treeCount(forest);
    return boostRanking(bins, all, undefined, { ...params, trees }, createRandom(seed)).forest;
  };
  return { forest, again };
}

/** Bins of the features, from the candidates of some questions. */
export function pilotBins(sources: CartSources, questions: readonly AnsweredQuestion[]): FeatureBins {
  const candidatesOf = createCartCandidates(sources);
  const parts = evenly(questions, PILOT).map(({ question }) => {
    const { rows, count } = candidatesOf(question);
    return rows.slice(0, count * WIDTH);
  });
  return learnBinsOfParts(parts, WIDTH);
}

/** The questions whose answer is a candidate, without the candidates that they leave out. */
function groupsOf(sources: CartSources, questions: readonly AnsweredQuestion[], bins: FeatureBins): RankedGroups {
  const groups = createRankedGroups(bins, startingScores);
  const rows = new Float32Array(MAX_CANDIDATES * WIDTH);
  for (const { answer, leftOut, candidates } of answerable(sources, questions)) {
    let count = 0;
    let place = 0;
    for (let c = 0; c < candidates.count; c++) {
      const product = candidates.products[c]!;
      if (leftOut.has(product)) continue;
      if (product === answer) place = count;
      rows.set(candidates.rows.subarray(c * WIDTH, (c + 1) * WIDTH), count++ * WIDTH);
    }
    groups.add(rows, count, place);
  }
  return groups.all();
}

/** How far up each scorer puts the answers. */
function judge(
  sources: CartSources,
  questions: readonly AnsweredQuestion[],
  scorers: readonly LeadScorer[],
): Judgement[] {
  const places = scorers.map((): number[] => []);
  let scored: CartCandidates | undefined;
  let scores: Float64Array[] = [];
  for (const { answer, leftOut, candidates } of answerable(sources, questions)) {
    const { rows, count, products } = candidates;
    if (candidates !== scored) scores = scorers.map((scoresOf) => scoresOf(rows.subarray(0, count * WIDTH)));
    scored = candidates;
    for (const [s, its] of scores.entries()) {
      const left = its.map((score, c) => (leftOut.has(products[c]!) ? Number.NEGATIVE_INFINITY : score));
      places[s]!.push(placeOf(products.indexOf(answer), left));
    }
  }
  return places.map((found) => judgementOf(found, questions.length));
}

/** The questions whose answer is a candidate, with their candidates: several answers to one question share them. */
function* answerable(
  sources: CartSources,
  questions: readonly AnsweredQuestion[],
): Generator<AnsweredQuestion & { readonly candidates: CartCandidates }> {
  const candidatesOf = createCartCandidates(sources);
  let last: { readonly question: AnsweredQuestion["question"]; readonly candidates: CartCandidates } | undefined;
  for (const asked of questions) {
    const { question, answer } = asked;
    if (last?.question !== question) last = { question, candidates: candidatesOf(question) };
    if (last.candidates.products.includes(answer)) yield { ...asked, candidates: last.candidates };
  }
}

const WIDTH = CART_FEATURES.length;

function worth({ hitRate, reciprocalRank }: Judgement): number {
  return hitRate + reciprocalRank;
}
