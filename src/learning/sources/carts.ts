import { type Explanation, NO_CANDIDATES } from "../common/candidates.js";
import type { CartSources } from "../rank/carts/candidates.js";
import type { CartRanking } from "../rank/carts/ranking.js";
import { createCartRecommender } from "../rank/carts/recommender.js";
import { type CartComplements, createComplementSearch, explainComplement } from "./carts/complements.js";
import type { Source, SourceQuery } from "./source.js";

export interface RankedCart {
  readonly sources: CartSources;
  readonly ranking: CartRanking;
}

/**
 * Complements of the whole cart; with an empty cart, of what is being viewed; for a customer who only ordered so far,
 * the next order. They say nothing about alternatives. Without a ranking, ridge weights and neighbours are added up.
 */
export function cartSource(fitted: CartComplements, ranked: RankedCart | undefined): Source {
  const recommender = ranked && createCartRecommender(ranked.sources, ranked.ranking);
  const complements = createComplementSearch(fitted);
  const askedWith = ({ basket, purchases }: SourceQuery) => purchases?.products ?? basket;
  return {
    name: "cart",
    complements: (query, k) => {
      if (askedWith(query).length === 0) return NO_CANDIDATES;
      if (query.purchases && recommender) return recommender.nextOrder(query.purchases, k, true);
      if (query.hasCart && recommender) return recommender.complements(query.basket, k);
      return complements(askedWith(query), k);
    },
    alternatives: () => NO_CANDIDATES,
    explain: (query, list, product) => {
      if (list !== "recommended" || askedWith(query).length === 0) return undefined;
      return explainRepeat(query, product) ?? explainComplement(fitted, askedWith(query), product);
    },
    isLearned: (query) => recommender !== undefined && (query.hasCart || query.purchases !== undefined),
  };
}

/** Counts of what the customer ordered before: `times_ordered`, `days_since_ordered` and all `orders` known. */
function explainRepeat({ purchases }: SourceQuery, product: number): Explanation | undefined {
  const at = purchases?.products.indexOf(product) ?? -1;
  if (purchases === undefined || at < 0) return undefined;
  const counts = {
    times_ordered: purchases.times[at]!,
    days_since_ordered: purchases.days[at]!,
    orders: purchases.orders,
  };
  return { becauseOf: [product], counts };
}
