/** The ranking of candidates: by boosted trees that start from the sources' scores, or by one source alone. */

import type { Forest } from "../trees/forest.js";
import { createForestScorer } from "../trees/forest-scorer.js";
import { CART_FEATURES } from "./cart-candidates.js";

/** Who ranks candidates: the trees, or one source alone. The numbers are part of the snapshot. */
export const CART_LEADS = ["trees", "ridge", "neighbours", "ridge_and_neighbours", "confidence"] as const;
export type CartLead = (typeof CART_LEADS)[number];

/** The ranking for one kind of question. */
export interface CartOrder {
  readonly lead: CartLead;
  /** Without trees unless these lead. */
  readonly forest: Forest;
  /** Questions judged on the newest orders. */
  readonly judged: number;
  /**
   * On these questions: share of answers among the first 20, and mean of 1 / rank, of the trees and of the best source
   * alone.
   */
  readonly hitRate: number;
  readonly reciprocalRank: number;
  readonly bestSource: CartLead;
  readonly bestSourceHitRate: number;
  readonly bestSourceReciprocalRank: number;
}

export interface CartRanking {
  /** Ranks complements of a cart. */
  readonly cart: CartOrder;
  /** Ranks the next order of a returning customer. */
  readonly customer: CartOrder;
}

export const EMPTY_FOREST: Forest = {
  featureCount: CART_FEATURES.length,
  roots: new Uint32Array(0),
  features: new Uint32Array(0),
  values: new Float32Array(0),
  lefts: new Uint32Array(0),
};

/** Gives each row of features a score, larger is better. */
export type LeadScorer = (rows: Float32Array) => Float64Array;

export function createLeadScorer(lead: CartLead, forest: Forest): LeadScorer {
  if (lead === "trees") {
    const addScores = createForestScorer(forest);
    return (rows) => {
      const scores = Float64Array.from(startingScores(rows));
      addScores(rows, scores.length, scores);
      return scores;
    };
  }
  const width = CART_FEATURES.length;
  const columns = COLUMNS[lead].map((name) => CART_FEATURES.indexOf(name));
  return (rows) =>
    Float64Array.from({ length: rows.length / width }, (_, r) =>
      columns.reduce((sum, column) => sum + rows[r * width + column]!, 0),
    );
}

/** Start scores of the trees: the logarithm of ridge weights and neighbours together, nearly a probability. */
export function startingScores(rows: Float32Array): Float32Array {
  const width = CART_FEATURES.length;
  return Float32Array.from({ length: rows.length / width }, (_, r) =>
    Math.log(Math.max(LEAST_SHARE, rows[r * width + RIDGE]! + rows[r * width + NEIGHBOURS]!)),
  );
}

const RIDGE = CART_FEATURES.indexOf("ridge");
const NEIGHBOURS = CART_FEATURES.indexOf("neighbours");
const LEAST_SHARE = 1e-3;

const COLUMNS = {
  ridge: ["ridge"],
  neighbours: ["neighbours"],
  ridge_and_neighbours: ["ridge", "neighbours"],
  confidence: ["confidence"],
} as const satisfies Record<Exclude<CartLead, "trees">, readonly (typeof CART_FEATURES)[number][]>;
