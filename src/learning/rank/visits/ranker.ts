/**
 * A learned re-ranker of next products: sources propose candidates, boosted trees put them in order. Two-stage ranking
 * as in Covington, Adams, Sargin: Deep neural networks for YouTube recommendations (RecSys 2016), with sources from the
 * session literature and trees instead of networks.
 *
 * A query costs some 0.3 ms on one core with 50,000 products: 0.2 for the candidates and their features, the rest for
 * the trees. Scratch space: 4 bytes a session and some 90 a product.
 */
import { type Candidates, type Explanation, NO_CANDIDATES } from "../../common/candidates.js";
import { createDescendingOrder } from "../../common/top-k.js";
import { createSessionRecommender } from "../../sources/sessions/session-recommender.js";
import type { Forest } from "../trees/forest.js";
import { createForestScorer, softmaxInPlace } from "../trees/forest-scorer.js";
import { createCandidateFeatures } from "./candidate-features.js";
import { MAX_CANDIDATES } from "./candidate-set.js";
import { createLowerBound } from "./lower-bound.js";
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
  const { productCount } = sources.neighbours;
  const sessions = createSessionRecommender(sources.neighbours);
  const features = createCandidateFeatures(sources, sessions);
  const addScores = createForestScorer(forest);
  const scores = new Float64Array(MAX_CANDIDATES);
  const bound = createLowerBound();
  const falling = createDescendingOrder();
  /** Of equal scores the larger product index comes first. */
  const ids = new Uint32Array(productCount);
  // By slot.
  const isCandidate = new Uint8Array(productCount);
  // Products beyond the candidates.
  const others = new Uint32Array(productCount);
  const otherScores = new Float64Array(productCount);

  /** Places of products by falling score. */
  function inOrder(products: Uint32Array, itsScores: Float64Array, count: number): Uint32Array {
    for (let i = 0; i < count; i++) ids[i] = ~products[i]!;
    return falling.of(itsScores, ids, count);
  }

  /** Finds products that neighbours propose but are no candidates, with the `k` best; returns how many. */
  function findOthers(count: number, k: number): number {
    const { candidates, slots } = features;
    const { values, halves } = features.boards.close;
    // So many reach the bound even when all candidates do.
    const least = bound.of(halves, slots.count, k + count);
    for (let c = 0; c < count; c++) isCandidate[slots.of(candidates[c]!)] = 1;
    let found = 0;
    for (let slot = 0; slot < slots.count; slot++) {
      const score = values[slot]!;
      if (!(score >= least) || score === 0 || isCandidate[slot] === 1) continue;
      others[found] = slots.products[slot]!;
      otherScores[found++] = score;
    }
    for (let c = 0; c < count; c++) isCandidate[slots.of(candidates[c]!)] = 0;
    return found;
  }

  return {
    recommend(query, k) {
      const count = features.make(query);
      if (count === 0 || k === 0) return NO_CANDIDATES;
      scores.fill(0, 0, count);
      addScores(features.rows, count, scores);
      softmaxInPlace(scores, count);
      const found = k > count ? findOthers(count, k - count) : 0;
      const size = Math.min(k, count + found);
      const answer = { indices: new Uint32Array(size), scores: new Float64Array(size) };
      const order = inOrder(features.candidates, scores, count);
      const ranked = Math.min(k, count);
      for (let i = 0; i < ranked; i++) {
        answer.indices[i] = features.candidates[order[i]!]!;
        answer.scores[i] = scores[order[i]!]!;
      }
      if (found === 0) return answer;
      const least = answer.scores[count - 1]!;
      const rest = inOrder(others, otherScores, found);
      const scale = least / (2 * Math.max(otherScores[rest[0]!]!, Number.MIN_VALUE));
      for (let i = count; i < size; i++) {
        answer.indices[i] = others[rest[i - count]!]!;
        answer.scores[i] = otherScores[rest[i - count]!]! * scale;
      }
      return answer;
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
