import { type Candidates, type Explanation, NO_CANDIDATES } from "../../algorithms/candidates.js";
import { embedText, type ProductText } from "../../algorithms/embedder.js";
import { writeJoined } from "../../algorithms/embedder-join.js";
import type { SemanticModel } from "../snapshot.js";
import type { Source } from "../source.js";

/**
 * Semantic similarity: products whose texts mean something similar. Asked with the mean of the anchors' vectors; the
 * anchors themselves are not proposed.
 */
export function semanticSource({ rows, vectors, index }: SemanticModel, productCount: number): Source {
  const { dimensions } = index;
  const rowOf = new Int32Array(productCount).fill(-1);
  rows.forEach((product, row) => {
    rowOf[product] = row;
  });
  const vectorOf = (product: number): Float32Array | undefined => {
    const row = rowOf[product]!;
    return row < 0 ? undefined : vectors.subarray(row * dimensions, (row + 1) * dimensions);
  };

  const near = (anchor: Uint32Array, k: number): Candidates => {
    const known = [...anchor].map(vectorOf).filter((vector) => vector !== undefined);
    const query = meanDirection(known, dimensions);
    if (query === undefined) return NO_CANDIDATES;
    const found = index.search(query, k + anchor.length);
    const products: number[] = [];
    const scores: number[] = [];
    for (let i = 0; i < found.indices.length && products.length < k; i++) {
      const product = rows[found.indices[i]!]!;
      if (anchor.includes(product)) continue;
      products.push(product);
      scores.push(found.similarities[i]!);
    }
    return { indices: Uint32Array.from(products), scores: Float64Array.from(scores) };
  };

  const explain = (anchor: Uint32Array, product: number): Explanation | undefined => {
    const vector = vectorOf(product);
    if (vector === undefined) return undefined;
    let best: { readonly product: number; readonly similarity: number } | undefined;
    for (const other of anchor) {
      const otherVector = vectorOf(other);
      if (otherVector === undefined) continue;
      const similarity = dot(vector, otherVector);
      if (best === undefined || similarity > best.similarity) best = { product: other, similarity };
    }
    return best && { becauseOf: [best.product], counts: { similarity: best.similarity } };
  };

  return {
    name: "semantic",
    complements: (query, k) => near(query.anchor, k),
    alternatives: (query, k) => near(query.anchor, k),
    explain: (query, _list, product) => explain(query.anchor, product),
  };
}

/**
 * Where a text that the training did not see lies among the products: a unit vector to search the index with, or
 * undefined when nothing of the text is known. The built-in embedder places it, in some 0.1 ms; with a text model, whose
 * answer nobody waits for, it is placed by the part of the space that is the built-in embedder's, until the next training.
 */
export function placeText({ embedder, textDimensions }: SemanticModel, text: ProductText): Float32Array | undefined {
  const own = embedText(embedder, text);
  if (own === undefined) return undefined;
  const vector = new Float32Array(textDimensions + own.length);
  writeJoined(undefined, own, textDimensions, vector);
  return vector;
}

/** The unit vector in the direction of the mean; undefined for no vectors, and for vectors that cancel each other. */
function meanDirection(all: readonly Float32Array[], dimensions: number): Float32Array | undefined {
  const mean = new Float32Array(dimensions);
  for (const vector of all) for (let d = 0; d < dimensions; d++) mean[d]! += vector[d]!;
  const length = Math.sqrt(dot(mean, mean));
  if (!(length > 1e-6)) return undefined;
  for (let d = 0; d < dimensions; d++) mean[d]! /= length;
  return mean;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!;
  return sum;
}
