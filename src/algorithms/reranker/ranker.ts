/**
 * A learned re-ranker of next products: sources propose candidates, boosted trees put them in order. Two-stage ranking
 * as in Covington, Adams, Sargin: Deep neural networks for YouTube recommendations (RecSys 2016), with sources from the
 * session literature and trees instead of networks.
 *
 * A query costs some 0.6 ms on one core with 40,000 products: 0.35 for the candidates and their features, the rest for
 * the trees. Scratch space: 16 bytes a session and about 250 a product.
 */
import { type Candidates, type Explanation, NO_CANDIDATES } from "../candidates.js";
import type { Forest } from "../gradient-boosting/forest.js";
import { createForestScorer } from "../gradient-boosting/forest-scorer.js";
import { createSessionRecommender } from "../session-recommender.js";
import { createTopK } from "../top-k.js";
import { createCandidateFeatures, MAX_CANDIDATES } from "./candidate-features.js";
import type { RankerSources } from "./ranker-sources.js";
import type { VisitQuery } from "./visits.js";

export interface Ranker {
  readonly sources: RankerSources;
  /** Trees over the features of `candidate-features.ts`. */
  readonly forest: Forest;
}

/** Answers queries in scratch space of its own; calls must not overlap. */
export interface VisitRecommender {
  /**
   * The `k` best products; products of the visit may be among them. Scores are the probabilities the trees give within
   * the candidates; what session neighbours propose beyond those follows with smaller scores.
   */
  recommend(query: VisitQuery, k: number): Candidates;
  /**
   * Why a product is proposed: the products of the visit that lead to it. Counts: `neighbours` of `similar_sessions`
   * that hold it, `related` products of the visit near which it is met, `times_met` in the visit itself. Undefined when
   * none of these speaks for it.
   */
  explain(query: VisitQuery, productIndex: number): Explanation | undefined;
}

export function createVisitRecommender({ sources, forest }: Ranker): VisitRecommender {
  const features = createCandidateFeatures(sources);
  const addScores = createForestScorer(forest);
  const sessions = createSessionRecommender(sources.neighbours);
  const scores = new Float64Array(MAX_CANDIDATES);
  const isCandidate = new Uint8Array(sources.neighbours.productCount);
  const top = createTopK();

  /** Products that neighbours propose but are no candidates, best first. */
  function beyond(count: number, k: number): Candidates {
    for (let c = 0; c < count; c++) isCandidate[features.candidates[c]!] = 1;
    top.reset(k);
    const { touched, values, count: proposed } = features.close;
    for (let t = 0; t < proposed; t++) {
      const product = features.slots.products[touched[t]!]!;
      if (isCandidate[product] === 0) top.offer(product, values[touched[t]!]!);
    }
    for (let c = 0; c < count; c++) isCandidate[features.candidates[c]!] = 0;
    return top.take();
  }

  return {
    recommend(query, k) {
      const count = features.make(query);
      if (count === 0 || k === 0) return NO_CANDIDATES;
      scores.fill(0, 0, count);
      addScores(features.rows, count, scores);
      softmaxInPlace(scores, count);
      top.reset(k);
      for (let c = 0; c < count; c++) top.offer(features.candidates[c]!, scores[c]!);
      const ranked = top.take();
      if (k <= count) return ranked;
      const rest = beyond(count, k - count);
      const scale = ranked.scores.at(-1)! / (2 * Math.max(...rest.scores, Number.MIN_VALUE));
      return {
        indices: Uint32Array.from([...ranked.indices, ...rest.indices]),
        scores: Float64Array.from([...ranked.scores, ...rest.scores.map((score) => score * scale)]),
      };
    },

    explain(query, productIndex) {
      const bySessions = sessions.explain(query, productIndex);
      const { edges } = sources.near;
      const distinct = [...new Set(query.items)].reverse();
      const related = distinct.filter((item) =>
        edges.items.subarray(edges.offsets[item], edges.offsets[item + 1]).includes(productIndex),
      );
      const timesMet = query.items.reduce((sum, item, i) => sum + (item === productIndex ? query.runs[i]! : 0), 0);
      const becauseOf = bySessions?.becauseOf ?? (timesMet > 0 ? [productIndex] : related);
      if (becauseOf.length === 0) return undefined;
      return { becauseOf, counts: { ...bySessions?.counts, related: related.length, times_met: timesMet } };
    },
  };
}

function softmaxInPlace(scores: Float64Array, count: number): void {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) most = Math.max(most, scores[i]!);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    scores[i] = Math.exp(scores[i]! - most);
    sum += scores[i]!;
  }
  for (let i = 0; i < count; i++) scores[i]! /= sum;
}
