/**
 * Ranks the candidates of a cart, or of a returning customer's next order, by boosted trees over the features of
 * `cart-candidates.ts`. The trees learn from the newest orders, with sources that know only the older ones. They grow on
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
import { firstRows, rowCount } from "../../common/rows.js";
import { type CartParams, fitCartComplements } from "../../sources/carts/cart-complements.js";
import { cartSales } from "../../sources/carts/cart-sales.js";
import { associationRules } from "../../sources/rules/association-rules.js";
import { createRowBinner, learnBins } from "../trees/bins.js";
import { treeCount } from "../trees/forest.js";
import { BOOSTING_DEFAULTS, type BoostingParams, boostRanking, type RankedGroups } from "../trees/listwise.js";
import { CART_FEATURES, type CartSources } from "./cart-candidates.js";
import { type CartGroups, cartGroups, type Judged, joined, judge } from "./cart-groups.js";
import {
  CART_LEADS,
  type CartOrder,
  type CartRanking,
  createLeadScorer,
  EMPTY_FOREST,
  startingScores,
} from "./cart-order.js";
import { type AnsweredQuestion, cartQuestions, type Orders, orderQuestions } from "./cart-questions.js";

export type { CartOrder, CartRanking } from "./cart-order.js";
export { type CartRankingParts, decodeCartRanking, encodeCartRanking } from "./cart-ranking-section.js";

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

function fitOrder(
  sources: CartSources,
  questions: readonly AnsweredQuestion[],
  judgedFrom: number,
  seed: number,
  params: CartRankingParams,
): { readonly order: CartOrder; readonly tried: CartOrder } {
  const older = cartGroups(
    sources,
    questions.filter(({ row }) => row < judgedFrom),
  );
  const newer = cartGroups(
    sources,
    questions.filter(({ row }) => row >= judgedFrom),
  );
  const leads = CART_LEADS.filter((lead) => lead !== "trees").map((lead) => ({
    lead,
    ...judge(newer, createLeadScorer(lead, EMPTY_FOREST)(newer.rows)),
  }));
  const best = leads.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  const facts = {
    judged: newer.asked,
    bestSource: best.lead,
    bestSourceHitRate: best.hitRate,
    bestSourceReciprocalRank: best.reciprocalRank,
  };
  if (older.asked >= params.minQuestions && newer.groups.length > 1) {
    const tried = boost([older], newer, params.boosting, seed);
    const judged = judge(newer, createLeadScorer("trees", tried)(newer.rows));
    if (worth(judged) > worth(best)) {
      const forest = boost([older, newer], undefined, { ...params.boosting, trees: treeCount(tried) }, seed);
      const order = { lead: "trees", forest, ...judged, ...facts } as const;
      return { order, tried: { ...order, forest: tried } };
    }
  }
  const { hitRate, reciprocalRank } = best;
  const order = { lead: best.lead, forest: EMPTY_FOREST, hitRate, reciprocalRank, ...facts };
  return { order, tried: order };
}

function boost(learned: readonly CartGroups[], heldOut: CartGroups | undefined, params: BoostingParams, seed: number) {
  const all = joined(learned);
  const width = CART_FEATURES.length;
  const bins = learnBins(all.rows, width);
  const binRows = createRowBinner(bins);
  const binned = ({ rows, groups, answers }: CartGroups): RankedGroups => {
    const cells = new Uint8Array(rows.length);
    binRows(rows, rows.length / width, cells, 0);
    return { binned: cells, groups, answers, offsets: startingScores(rows) };
  };
  return boostRanking(bins, binned(all), heldOut && binned(heldOut), params, createRandom(seed)).forest;
}

function worth({ hitRate, reciprocalRank }: Judged): number {
  return hitRate + reciprocalRank;
}
