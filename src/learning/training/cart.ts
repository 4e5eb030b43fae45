import type { AlgorithmFacts } from "../../domain/model.js";
import { rowCount } from "../common/rows.js";
import { type CartTrial, fitCartSources, tryCartRanking } from "../rank/carts/learn-ranking.js";
import type { CartOrder } from "../rank/carts/ranking.js";
import { treeCount } from "../rank/trees/forest.js";
import type { Fitted } from "../snapshot/snapshot.js";
import type { CartComplements } from "../sources/carts/complements.js";
import type { Dataset } from "./dataset.js";

export interface FittedCart {
  readonly complements: CartComplements;
  /** Undefined when the newest orders were too few to judge it on. */
  readonly ranking: Fitted["cartRanking"];
  /** Given with the ranking. */
  readonly trial: CartTrial | undefined;
  readonly facts: readonly AlgorithmFacts[];
}

/** Minimum questions for the evaluation of a ranking. */
const MIN_JUDGED = 50;
/** Reason for the missing ranking when ranking is off. */
export const NOT_ASKED_FOR = "learned ranking is disabled";

/**
 * Learns from orders what goes with a cart, what customers order next, and in which order to say so; the last only with
 * a seed.
 */
export function fitCart(data: Dataset, seed: number | undefined): FittedCart {
  const productCount = data.productIds.length;
  const orders = { baskets: data.baskets, at: data.basketAt, customers: data.basketVisitors };
  const { cart, sales, near } = fitCartSources(orders, productCount, data.cutOff);
  const complements = {
    name: "cart_complements",
    included: true,
    reason: "",
    facts: { baskets: rowCount(data.baskets) },
  };
  if (seed === undefined) {
    const left = { name: "cart_ranking", included: false, reason: NOT_ASKED_FOR, facts: {} };
    return { complements: cart, ranking: undefined, trial: undefined, facts: [complements, left] };
  }
  const { ranking, trial } = tryCartRanking(orders, productCount, seed);
  const isJudged = ranking.cart.judged >= MIN_JUDGED;
  return {
    complements: cart,
    ranking: isJudged ? { ranking, sales, near } : undefined,
    trial: isJudged ? trial : undefined,
    facts: [
      complements,
      {
        name: "cart_ranking",
        included: isJudged,
        reason: isJudged ? "" : `${ranking.cart.judged} questions in the newest orders, ${MIN_JUDGED} are needed`,
        facts: { ...numbers("cart", ranking.cart), ...numbers("customer", ranking.customer) },
      },
    ],
  };
}

function numbers(name: string, order: CartOrder): Record<string, number> {
  return {
    [`${name}_questions`]: order.judged,
    [`${name}_trees`]: treeCount(order.forest),
    [`${name}_hit_rate_20`]: order.hitRate,
    [`${name}_reciprocal_rank_20`]: order.reciprocalRank,
    [`${name}_best_source_hit_rate_20`]: order.bestSourceHitRate,
    [`${name}_best_source_reciprocal_rank_20`]: order.bestSourceReciprocalRank,
  };
}
