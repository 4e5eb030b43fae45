/** A prepared shop whose learned order is judged, as a whole and without its parts. */

/** One figure of each question; NaN where a question is not judged by it. */
export interface Figure {
  readonly values: Float64Array;
  /** What the bootstrap draws: session, order or customer of each question. */
  readonly units: readonly number[];
}

export interface Learned {
  /** In the order of `Trial.figures`. */
  readonly figures: readonly Figure[];
  /** CPU seconds of the boosting. */
  readonly seconds: number;
  /** Candidates that are left, as a share. */
  readonly candidates: number;
}

export interface Trial {
  /** The shop, and what was learned from and judged on. */
  readonly name: string;
  readonly asked: string;
  readonly figures: readonly string[];
  /** Names of parts. */
  readonly parts: readonly string[];
  /** Trees learned without these parts. */
  learn(without: readonly string[], seed: number): Learned;
  /** The candidates in the order of one score. */
  readonly alone: readonly { readonly name: string; readonly figures: readonly Figure[] }[];
}

/** 1 for each place that counts. `reciprocals`: 1 / place, 0 beyond the last that counts. */
export function hitsOf(reciprocals: Float64Array): Float64Array {
  return reciprocals.map((value) => (value > 0 ? 1 : value));
}
