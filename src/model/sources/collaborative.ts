import { NO_CANDIDATES } from "../../algorithms/candidates.js";
import { createSessionRecommender, type SessionNeighbours } from "../../algorithms/session-neighbours.js";
import type { List, Source, SourceQuery } from "../source.js";

/**
 * Collaborative filtering: what visitors with similar sessions went on to. The whole session speaks for `recommended`;
 * for `alternative` only the products that alternatives are wanted to, so that what was looked at in their place comes.
 */
export function collaborativeSource(fitted: SessionNeighbours): Source {
  const recommender = createSessionRecommender(fitted);
  const sessionOf = (query: SourceQuery, list: List) =>
    list === "recommended" ? query.session : { items: query.anchor.slice().reverse() };
  const ask = (query: SourceQuery, list: List, k: number) => {
    const session = sessionOf(query, list);
    return session.items.length === 0 ? NO_CANDIDATES : recommender.recommend(session, k);
  };
  return {
    name: "collaborative",
    complements: (query, k) => ask(query, "recommended", k),
    alternatives: (query, k) => ask(query, "alternative", k),
    explain: (query, list, product) => recommender.explain(sessionOf(query, list), product),
  };
}
