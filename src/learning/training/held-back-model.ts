import { firstRows, rowCount } from "../common/rows.js";
import { type CartTrial, fitCartSources } from "../rank/carts/learn-ranking.js";
import { isHeldOut } from "../rank/visits/learn-ranker.js";
import type { Ranker } from "../rank/visits/ranker.js";
import { fitRankerSources } from "../rank/visits/ranker-sources.js";
import { firstVisits, type Visits } from "../rank/visits/visits.js";
import type { Fitted } from "../snapshot/snapshot.js";
import { cartSource } from "../sources/carts.js";
import { mostPopular, popularity } from "../sources/popularity/popularity.js";
import { associationRules } from "../sources/rules/association-rules.js";
import { rulesSource } from "../sources/rules.js";
import { fitSessionNeighbours } from "../sources/sessions/session-neighbours.js";
import { collaborativeSource } from "../sources/sessions.js";
import type { Source } from "../sources/source.js";
import { semanticSource } from "../sources/texts.js";
import type { Dataset } from "./dataset.js";

/** Sources fitted without the newest visits and orders, to be judged on these. */
export interface HeldBackModel {
  readonly sources: readonly Source[];
  /** The most popular products of that time, best first. */
  readonly popular: Uint32Array;
  /** 1 for products with interactions by then. */
  readonly isMet: Uint8Array;
  /** Rows of sessions and orders that no source learned from, ascending. */
  readonly sessions: readonly number[];
  readonly orders: readonly number[];
}

/** Share of the newest sessions and orders to judge on; of sessions up to `LARGEST_SHARE`, until there are `ENOUGH_STEPS`. */
const NEWEST_SHARE = 0.1;
const LARGEST_SHARE = 0.25;
const ENOUGH_STEPS = 1_500;
const POPULAR = 200;

export interface HeldBackModelOptions {
  readonly data: Dataset;
  /** The parts fitted on all data; they decide which sources exist and their settings. */
  readonly fitted: Pick<Fitted, "sessions" | "ranker" | "rules" | "cart" | "semantic">;
  /** True when the trees of the ranker learned from these visits: sessions that they did not see judge. */
  readonly isRankerLearned: boolean;
  /** The cart ranking as it was evaluated; undefined if none was learned. */
  readonly cartTrial: CartTrial | undefined;
  readonly popularityHalfLifeMs: number;
  readonly seed: number;
}

/**
 * Fits the sources again on data older than the newest tenth, but reuses trees. Session trees are judged on sessions that
 * they did not learn from; cart trees are those of their own evaluation. Text sources do not depend on time.
 */
export function fitHeldBackModel({
  data,
  fitted,
  isRankerLearned,
  cartTrial,
  popularityHalfLifeMs,
  seed,
}: HeldBackModelOptions): HeldBackModel {
  const productCount = data.productIds.length;
  const sessionTotal = rowCount(data.sessions);
  const mayAsk = (session: number) => !isRankerLearned || isHeldOut(session);
  const firstSession = firstAsked(data, mayAsk);
  const sessionsUntil = data.sessionEndedAt[firstSession - 1] ?? 0;
  const orderTotal = rowCount(data.baskets);
  const firstOrder = orderTotal - Math.floor(orderTotal * NEWEST_SHARE);
  const sources: Source[] = [];

  if (fitted.sessions) {
    const older = firstVisits(visitsOf(data), firstSession);
    const neighbours = fitSessionNeighbours(older, productCount, fitted.sessions.params);
    const ranker: Ranker | undefined = fitted.ranker && {
      forest: fitted.ranker.forest,
      sources: fitRankerSources(older, neighbours, seed, fitted.ranker.sources.embeddedBy),
    };
    sources.push(collaborativeSource(neighbours, ranker));
  }
  let ordersKnown = Number.NEGATIVE_INFINITY;
  if (fitted.cart) {
    const known = cartTrial ? cartTrial.knownOrders : firstOrder;
    ordersKnown = data.basketAt[known - 1] ?? ordersKnown;
    const baskets = firstRows(data.baskets, known);
    const at = data.basketAt.subarray(0, known);
    const carts = cartTrial?.sources ?? fitCartSources({ baskets, at }, productCount, ordersKnown);
    sources.push(cartSource(carts.cart, cartTrial && { sources: carts, ranking: cartTrial.ranking }));
    if (fitted.rules) sources.push(rulesSource(associationRules(baskets, productCount)));
  }
  if (fitted.semantic) sources.push(semanticSource(fitted.semantic, productCount));

  const { meetings } = data;
  const isMet = new Uint8Array(productCount);
  const weights = meetings.weights.map((weight, i) => (meetings.at[i]! <= sessionsUntil ? weight : 0));
  for (let i = 0; i < weights.length; i++) if (weights[i]! > 0) isMet[meetings.productIndices[i]!] = 1;
  const scores = popularity({ ...meetings, weights }, productCount, {
    cutOff: sessionsUntil,
    halfLifeMs: popularityHalfLifeMs,
  });
  // A question must be newer than the data of every source.
  const rows = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return {
    sources,
    popular: mostPopular(scores, POPULAR).indices,
    isMet,
    sessions: rows(firstSession, sessionTotal).filter((row) => data.sessionEndedAt[row]! > ordersKnown && mayAsk(row)),
    orders: rows(cartTrial?.judgedFrom ?? firstOrder, orderTotal).filter((row) => data.basketAt[row]! > sessionsUntil),
  };
}

function firstAsked({ sessions }: Dataset, mayAsk: (session: number) => boolean): number {
  const total = rowCount(sessions);
  let first = total;
  for (let steps = 0; first > total * (1 - LARGEST_SHARE); ) {
    if (first <= total * (1 - NEWEST_SHARE) && steps >= ENOUGH_STEPS) break;
    first--;
    if (mayAsk(first)) steps += sessions.offsets[first + 1]! - sessions.offsets[first]! - 1;
  }
  return first;
}

/** Visits as a ranker reads them. */
export function visitsOf(data: Dataset): Visits {
  return {
    sessions: data.sessions,
    runs: data.sessionRuns,
    endedAt: data.sessionEndedAt,
    previous: data.previousSession,
  };
}
