/** Exact nearest neighbours among unit vectors, by looking at each: what approximate search is measured against. */

import { type Candidates, NO_CANDIDATES } from "../common/candidates.js";
import { createTopK } from "../common/top-k.js";
import { dotProducts } from "../kernels/nearest.js";

/**
 * The `k` vectors of greatest cosine similarity to `query`, best first. `vectors` holds one vector of `dimensions`
 * numbers after the other, each of length 1, as `query` is; the scores are the similarities.
 */
export function nearest(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Candidates {
  return nearestToEach(vectors, dimensions, [query], k)[0] ?? NO_CANDIDATES;
}

/** The same of several queries, which look at some vectors after the other while these are at hand. */
export function nearestToEach(
  vectors: Float32Array,
  dimensions: number,
  queries: readonly Float32Array[],
  k: number,
): Candidates[] {
  const best = queries.map((query) => {
    if (query.length !== dimensions) throw new RangeError("query must have as many numbers as the vectors");
    const own = createTopK();
    own.reset(k);
    return own;
  });
  dotProducts(vectors, dimensions, queries, (query, from, products) => {
    const own = best[query]!;
    for (let n = 0; n < products.length; n++) own.offer(from + n, products[n]!);
  });
  return best.map((own) => own.take());
}
