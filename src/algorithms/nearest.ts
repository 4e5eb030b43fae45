/** Exact nearest neighbours among unit vectors, by looking at each: what approximate search is measured against. */
import type { Candidates } from "./candidates.js";
import { createTopK, type TopK } from "./top-k.js";

/** Vectors that are looked at by all queries before the next: with 256 dimensions 64 KB, which the processor keeps at hand. */
const TOGETHER = 64;

/**
 * The `k` vectors of greatest cosine similarity to `query`, best first. `vectors` holds one vector of `dimensions`
 * numbers after the other, each of length 1, as `query` is; the scores are the similarities.
 */
export function nearest(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Candidates {
  const best = emptyFor(query, dimensions, k);
  offerAll(vectors, dimensions, query, best, 0, vectors.length / dimensions);
  return best.take();
}

/** The same of several queries, in half the time where the vectors are many. */
export function nearestToEach(
  vectors: Float32Array,
  dimensions: number,
  queries: readonly Float32Array[],
  k: number,
): Candidates[] {
  const count = vectors.length / dimensions;
  const best = queries.map((query) => emptyFor(query, dimensions, k));
  for (let from = 0; from < count; from += TOGETHER) {
    const to = Math.min(count, from + TOGETHER);
    for (const [q, query] of queries.entries()) offerAll(vectors, dimensions, query, best[q]!, from, to);
  }
  return best.map((own) => own.take());
}

function emptyFor(query: Float32Array, dimensions: number, k: number): TopK {
  if (query.length !== dimensions) throw new RangeError("query must have as many numbers as the vectors");
  const best = createTopK();
  best.reset(k);
  return best;
}

/**
 * Offers the vectors from `from` to before `to`, four at a time: a sum waits for its last addition, and four wait at once.
 * Each is added up in the order in which one alone would be, so that the similarities are the same.
 */
function offerAll(
  vectors: Float32Array,
  dimensions: number,
  query: Float32Array,
  best: TopK,
  from: number,
  to: number,
): void {
  let v = from;
  for (; v + 3 < to; v += 4) {
    const first = v * dimensions;
    const second = first + dimensions;
    const third = second + dimensions;
    const fourth = third + dimensions;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    let sum4 = 0;
    for (let d = 0; d < dimensions; d++) {
      const value = query[d]!;
      sum1 += vectors[first + d]! * value;
      sum2 += vectors[second + d]! * value;
      sum3 += vectors[third + d]! * value;
      sum4 += vectors[fourth + d]! * value;
    }
    best.offer(v, sum1);
    best.offer(v + 1, sum2);
    best.offer(v + 2, sum3);
    best.offer(v + 3, sum4);
  }
  for (; v < to; v++) {
    const at = v * dimensions;
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += vectors[at + d]! * query[d]!;
    best.offer(v, sum);
  }
}
