/** Exact nearest neighbours among unit vectors, by looking at each: what approximate search is measured against. */
import type { Candidates } from "./candidates.js";
import { createTopK } from "./top-k.js";

/**
 * The `k` vectors of greatest cosine similarity to `query`, best first. `vectors` holds one vector of `dimensions`
 * numbers after the other, each of length 1, as `query` is; the scores are the similarities.
 */
export function nearest(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Candidates {
  if (query.length !== dimensions) throw new RangeError("query must have as many numbers as the vectors");
  const count = vectors.length / dimensions;
  const best = createTopK();
  best.reset(k);
  for (let v = 0; v < count; v++) {
    const from = v * dimensions;
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += vectors[from + d]! * query[d]!;
    best.offer(v, sum);
  }
  return best.take();
}
