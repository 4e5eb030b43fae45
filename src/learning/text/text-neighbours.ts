/**
 * Draws vectors towards their neighbours. Words that similar texts share tell what they are about; a word of only one text is
 * often a colour or a phrase. Database-side feature augmentation (Arandjelovic, Zisserman: Three things
 * everyone should know to improve object retrieval, CVPR 2012; Turcot, Lowe 2009), with vectors of texts for those of
 * images:
 *
 *   drawn = normalise(vector + pull * (sum over neighbours of similarity * neighbour / sum of similarities))
 *
 * Neighbours are the nearest other vectors of similarity above 0. Drawing helps small catalogues. Among all 12,491 products
 * of myntra the nearest are of one kind already, and drawn vectors find fewer of it (NDCG@10 .934 instead of .936); among
 * every seventh product they find more. Hence `upTo`, which also bounds the time: texts^2 * dimensions multiplications of
 * about a nanosecond.
 *
 * A query with a new text uses its vector undrawn, which finds no worse.
 */
import type { Embedded } from "./embedder.js";
import { nearest } from "./nearest.js";

export interface NeighbourParams {
  /** With more texts than this the vectors stay as they are. */
  readonly upTo: number;
  readonly neighbours: number;
  /** How much the neighbours count against the vector itself, which counts 1. */
  readonly pull: number;
}

const NEIGHBOURS: NeighbourParams = { upTo: 4000, neighbours: 15, pull: 0.3 };

export function drawToNeighbours(embedded: Embedded, params: NeighbourParams = NEIGHBOURS): Embedded {
  const { vectors, rows, dimensions } = embedded;
  const { upTo, neighbours, pull } = params;
  if (rows.length > upTo) return embedded;
  const drawn = new Float32Array(vectors.length);
  const sum = new Float64Array(dimensions);
  for (let v = 0; v < rows.length; v++) {
    const from = v * dimensions;
    const { indices, scores } = nearest(vectors, dimensions, vectors.subarray(from, from + dimensions), neighbours + 1);
    sum.fill(0);
    let weights = 0;
    let left = neighbours;
    for (const [i, n] of indices.entries()) {
      const weight = scores[i]!;
      if (n === v || weight <= 0 || left-- === 0) continue;
      weights += weight;
      for (let d = 0; d < dimensions; d++) sum[d]! += weight * vectors[n * dimensions + d]!;
    }
    const scale = weights === 0 ? 0 : pull / weights;
    let squares = 0;
    for (let d = 0; d < dimensions; d++) {
      sum[d] = vectors[from + d]! + scale * sum[d]!;
      squares += sum[d]! ** 2;
    }
    const length = Math.sqrt(squares);
    for (let d = 0; d < dimensions; d++) drawn[from + d] = sum[d]! / length;
  }
  return { vectors: drawn, rows, dimensions };
}
