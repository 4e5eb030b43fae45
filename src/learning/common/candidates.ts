/** Products an algorithm proposes, best first; equal scores by falling product index, so that the order is fixed. */
export interface Candidates {
  readonly indices: Uint32Array;
  /** Larger is better. Only comparable within one algorithm and one query. */
  readonly scores: Float64Array;
}

export const NO_CANDIDATES: Candidates = { indices: new Uint32Array(0), scores: new Float64Array(0) };

/** Why one product was proposed. */
export interface Explanation {
  /** Product indices of the query that led to it. */
  readonly becauseOf: readonly number[];
  /** Counts behind the score by name, for example `pair_count`, `confidence`, `neighbours`. */
  readonly counts: Readonly<Record<string, number>>;
}
