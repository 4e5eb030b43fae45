import { NO_CANDIDATES } from "../common/candidates.js";
import { createVisitRecommender, type Ranker } from "../rank/visits/ranker.js";
import { createAnswerCache } from "./answer-cache.js";
import type { SessionNeighbours } from "./sessions/session-neighbours.js";
import { createSessionRecommender } from "./sessions/session-recommender.js";
import { loneAnchor, type Source, type SourceQuery } from "./source.js";

/** Candidates of answers kept of a model: 2,000 answers of 200, 5 MB. */
const MOST_KEPT = 400_000;

/**
 * Collaborative filtering: what visitors with similar sessions went on to. The whole session speaks for `recommended`,
 * put in order by the ranker where one was learned; for `alternative` only the products that alternatives are wanted to,
 * so that what was looked at in their place comes.
 */
export function collaborativeSource(fitted: SessionNeighbours, ranker: Ranker | undefined): Source {
  const recommender = createSessionRecommender(fitted);
  const ranked = ranker && createVisitRecommender(ranker);
  const ofProducts = createAnswerCache(fitted.productCount, MOST_KEPT);
  const anchorOf = (query: SourceQuery) => ({ items: query.anchor.slice().reverse() });
  return {
    name: "collaborative",
    complements: ({ session }, k) => {
      if (session.items.length === 0) return NO_CANDIDATES;
      return ranked ? ranked.recommend(session, k) : recommender.recommend(session, k);
    },
    alternatives: (query, k) => {
      if (query.anchor.length === 0) return NO_CANDIDATES;
      const find = (most: number) => recommender.recommend(anchorOf(query), most);
      const product = loneAnchor(query);
      return product === undefined ? find(k) : ofProducts.of(product, k, find);
    },
    explain: (query, list, product) => {
      if (list === "alternative") return recommender.explain(anchorOf(query), product);
      return ranked ? ranked.explain(query.session, product) : recommender.explain(query.session, product);
    },
  };
}
