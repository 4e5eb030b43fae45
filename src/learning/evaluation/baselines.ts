/** Known methods that the service should at least be better than, learned from the same visits or orders. */

import type { Candidates } from "../common/candidates.js";
import { basketsByProduct, distinctBaskets, type Rows, rowCount } from "../common/rows.js";
import { createTopK } from "../common/top-k.js";
import { type ItemWeights, neighbourhoodRidge } from "../sources/carts/neighbourhood-ridge.js";
import { type SessionNeighbours, sessionRecency } from "../sources/sessions/session-neighbours.js";
import { createSessionRecommender } from "../sources/sessions/session-recommender.js";
import { easeScores, fitEase } from "./ease.js";
import { fitLinearSessions } from "./linear-sessions.js";
import type { Asked, Ranking } from "./rankings.js";

/** Products up to which EASE^R is exact; beyond, its form within neighbourhoods stands in. */
const EASE_PRODUCTS = 4_000;
/** Baskets on the diagonal, in the range where hidden order lines are found best (online_retail: 30 to 60). */
const EASE_LAMBDA = 50;
const RIDGE = { lambda: 20, neighbours: 100, maxProducts: 8_000 } as const;
const ITEM_NEIGHBOURS = 100;
/** Steps back in a visit after which the weight of a product has fallen to 1/e, and what a product of the visit adds to itself. */
const SLIST = { stepDecay: 3, repeat: 0.1 } as const;
const MAX_ROW = 200;

export interface BaselineData {
  /** Visits or orders before the cut-off. */
  readonly rows: Rows;
  /** Time of the last step of each visit, ms; read where queries are sequences. */
  readonly endedAt: Float64Array;
  readonly productCount: number;
  /** Decayed popularity, as the service falls back on it. */
  readonly popularity: Float32Array;
  readonly byPopularity: Uint32Array;
  /** VSTAN with the parameters that training chose; undefined when there were too few visits. */
  readonly sessions: SessionNeighbours | undefined;
}

/** The order of popularity for everyone. */
export function popularityRanking({
  popularity,
  byPopularity,
}: Pick<BaselineData, "popularity" | "byPopularity">): Baseline {
  const met = byPopularity.filter((product) => popularity[product]! > 0);
  return { name: "popularity", kind: "baseline", answer: (_asked, k) => met.subarray(0, k) };
}

/** What the customer had in most orders, of equal ones what was ordered last; then what is popular. */
export function boughtBeforeRanking(popularity: Baseline): Baseline {
  return {
    name: "bought_before",
    kind: "baseline",
    answer(asked, k) {
      const times = new Map<number, number>();
      for (const item of asked.items) {
        const before = times.get(item) ?? 0;
        // Deleted first, so that what was ordered last comes last.
        times.delete(item);
        times.set(item, before + 1);
      }
      const bought = [...times.keys()].reverse().sort((a, b) => times.get(b)! - times.get(a)!);
      const popular = Array.from(popularity.answer(asked, k + bought.length)).filter((product) => !times.has(product));
      return [...bought, ...popular].slice(0, k);
    },
  };
}

/** A baseline looks at nothing but what was done, oldest first. */
interface Baseline extends Ranking {
  answer(asked: Pick<Asked, "items">, k: number): ArrayLike<number>;
}

/**
 * Fits a baseline; undefined where it does not apply. `ordered`: queries are sequences. Then item kNN uses the last product
 * of a query, else all of them.
 */
type FitBaseline = (data: BaselineData, ordered: boolean) => Baseline | undefined;

/** In the order of their rows. */
export const BASELINES = {
  popularity: popularityRanking,
  item_knn: (data, ordered) => itemNeighbours(distinctOf(data), data.productCount, ordered),
  vstan: ({ sessions }) => sessions && sessionNeighbours(sessions),
  slist: (data, ordered) => (ordered && data.sessions ? linearSessions(data, data.sessions) : undefined),
  ease(data) {
    const distinct = distinctOf(data);
    const fit = new Set(distinct.items).size <= EASE_PRODUCTS ? ease : ridge;
    return fit(distinct, data.productCount);
  },
} satisfies Record<string, FitBaseline>;

export function baselineRankings(data: BaselineData, ordered: boolean): Ranking[] {
  const fits: readonly FitBaseline[] = Object.values(BASELINES);
  return fits.map((fit) => fit(data, ordered)).filter((ranking) => ranking !== undefined);
}

function distinctOf({ rows, productCount }: BaselineData): Rows {
  return distinctBaskets(rows, productCount, MAX_ROW);
}

function sessionNeighbours(sessions: SessionNeighbours): Baseline {
  const recommender = createSessionRecommender(sessions);
  return { name: "vstan", kind: "baseline", answer: ({ items }, k) => recommender.recommend({ items }, k).indices };
}

/** SLIST: answers by the linear session model (`linear-sessions.ts`), with repeats. Rows are in order of time. */
function linearSessions({ rows, endedAt, productCount }: BaselineData, { params }: SessionNeighbours): Baseline {
  const recency = sessionRecency(endedAt, params.sessionDecayDays);
  const { edges, weights } = fitLinearSessions(rows, recency, productCount);
  const top = createTopK();
  const answer: Baseline["answer"] = ({ items }, k) => {
    const sums = new Map<number, number>();
    const add = (product: number, weight: number) => sums.set(product, (sums.get(product) ?? 0) + weight);
    const asked = new Set<number>();
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at]!;
      if (asked.has(item)) continue;
      asked.add(item);
      const weight = Math.exp(-(items.length - 1 - at) / SLIST.stepDecay);
      add(item, weight * SLIST.repeat);
      for (let e = edges.offsets[item]!; e < edges.offsets[item + 1]!; e++) add(edges.items[e]!, weight * weights[e]!);
    }
    top.reset(k);
    for (const [product, sum] of sums) top.offer(product, sum);
    return top.take().indices;
  };
  return { name: "slist", kind: "baseline", answer };
}

/** Cosine of the sets of rows with one product and with the other. */
function itemNeighbours(rows: Rows, productCount: number, ordered: boolean): Baseline {
  const byProduct = basketsByProduct(rows, productCount);
  const countOf = (product: number) => byProduct.offsets[product + 1]! - byProduct.offsets[product]!;
  const known = new Map<number, Candidates>();
  const top = createTopK();
  const near = (product: number): Candidates => {
    const kept = known.get(product);
    if (kept) return kept;
    const shared = new Map<number, number>();
    for (let i = byProduct.offsets[product]!; i < byProduct.offsets[product + 1]!; i++) {
      const row = byProduct.items[i]!;
      for (let j = rows.offsets[row]!; j < rows.offsets[row + 1]!; j++)
        shared.set(rows.items[j]!, (shared.get(rows.items[j]!) ?? 0) + 1);
    }
    top.reset(ITEM_NEIGHBOURS);
    for (const [other, count] of shared)
      if (other !== product) top.offer(other, count / Math.sqrt(countOf(other) * countOf(product)));
    const found = top.take();
    known.set(product, found);
    return found;
  };
  return {
    name: "item_knn",
    kind: "baseline",
    answer({ items }, k) {
      const asked = ordered ? items.slice(-1) : items;
      const sums = new Map<number, number>();
      for (const item of new Set(asked)) {
        const { indices, scores } = near(item);
        for (let i = 0; i < indices.length; i++) sums.set(indices[i]!, (sums.get(indices[i]!) ?? 0) + scores[i]!);
      }
      top.reset(k);
      for (const [product, sum] of sums) top.offer(product, sum);
      return top.take().indices;
    },
  };
}

function ease(rows: Rows, productCount: number): Baseline {
  const fitted = fitEase(rows, productCount, EASE_LAMBDA);
  const top = createTopK();
  return {
    name: "ease",
    kind: "baseline",
    answer({ items }, k) {
      const scores = easeScores(fitted, items);
      top.reset(k);
      for (let j = 0; j < scores.length; j++) if (scores[j] !== 0) top.offer(fitted.products[j]!, scores[j]!);
      return top.take().indices;
    },
  };
}

function ridge(rows: Rows, productCount: number): Baseline {
  const evenly = new Float32Array(rowCount(rows)).fill(1);
  const { products, weights }: ItemWeights = neighbourhoodRidge(rows, evenly, productCount, RIDGE);
  const top = createTopK();
  return {
    name: "neighbourhood_ridge",
    kind: "baseline",
    answer({ items }, k) {
      const sums = new Map<number, number>();
      for (const item of new Set(items))
        for (let i = products.offsets[item]!; i < products.offsets[item + 1]!; i++)
          sums.set(products.items[i]!, (sums.get(products.items[i]!) ?? 0) + weights[i]!);
      top.reset(k);
      for (const [product, sum] of sums) top.offer(product, sum);
      return top.take().indices;
    },
  };
}
