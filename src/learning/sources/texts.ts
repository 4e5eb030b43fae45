import type { VectorIndex } from "../../adapters/vector-index.js";
import type { Product } from "../../domain/product.js";
import { type Candidates, type Explanation, NO_CANDIDATES } from "../common/candidates.js";
import { createTopK } from "../common/top-k.js";
import { type Embedder, embedText, type ProductText } from "../text/embedder.js";
import { writeJoined } from "../text/embedder-join.js";
import { createAnswerCache } from "./answer-cache.js";
import { loneAnchor, type Source, type SourceQuery, type TextPlacing } from "./source.js";

/** Products as points of a space in which near means alike. */
export interface SemanticModel {
  readonly embedder: Embedder;
  /** Numbers at the front of each vector from the operator's text model; 0 when the embedder made the whole vector. */
  readonly textDimensions: number;
  /** Product index of each vector: products without any text have none. */
  readonly rows: Uint32Array;
  /** One unit vector after the other. */
  readonly vectors: Float32Array;
  readonly index: VectorIndex;
}

/** What an embedder reads of a product. */
export function productText(product: Product): ProductText {
  return {
    title: product.title,
    description: product.description,
    brand: product.brand,
    categories: product.categories.map((category) => category.name || category.categoryId),
  };
}

/** The unit vector of a product by its index; undefined when it has none. */
export type ProductVectors = (product: number) => Float32Array | undefined;

export function productVectors({ vectors, index }: SemanticModel, rowOf: Int32Array): ProductVectors {
  const { dimensions } = index;
  return (product) => {
    const row = rowOf[product]!;
    return row < 0 ? undefined : vectors.subarray(row * dimensions, (row + 1) * dimensions);
  };
}

/** The row of each product's vector; -1 for none. */
export function vectorRows(rows: Uint32Array, productCount: number): Int32Array {
  const rowOf = new Int32Array(productCount).fill(-1);
  for (let row = 0; row < rows.length; row++) rowOf[rows[row]!] = row;
  return rowOf;
}

/** Candidates of answers kept of a model, which take the most time to find: 10,000 answers of 100, 12 MB. */
const MOST_KEPT = 1_000_000;

/**
 * Semantic similarity: products whose texts mean something similar. Asked with the mean of the vectors of what is being
 * viewed, products that came after the training before all; these, the anchors themselves and what is not similar at
 * all are not proposed.
 */
export function semanticSource(
  model: SemanticModel,
  productCount: number,
  rowOf = vectorRows(model.rows, productCount),
): Source {
  const { rows, index, vectors } = model;
  const vectorOf = productVectors(model, rowOf);

  const allNear = (direction: Float32Array, k: number) => {
    const { indices, similarities } = index.search(direction, k);
    const products = new Uint32Array(indices.length);
    for (let i = 0; i < indices.length; i++) products[i] = rows[indices[i]!]!;
    return { indices: products, scores: similarities };
  };
  const best = createTopK();
  const nearestAmong = (products: Uint32Array, direction: Float32Array, k: number) => {
    best.reset(k);
    const { dimensions } = index;
    for (const product of products) {
      const row = rowOf[product]!;
      if (row < 0) continue;
      const from = row * dimensions;
      let similarity = 0;
      for (let d = 0; d < dimensions; d++) similarity += vectors[from + d]! * direction[d]!;
      best.offer(product, similarity);
    }
    return best.take();
  };

  const search = (query: SourceQuery, k: number): Candidates => {
    const { anchor } = query;
    const direction = directionOf(model, vectorOf, query);
    if (direction === undefined) return NO_CANDIDATES;
    const { indices, scores: similarities } =
      query.among === undefined
        ? allNear(direction, k + anchor.length)
        : nearestAmong(query.among, direction, k + anchor.length);
    const products = new Uint32Array(indices.length);
    const scores = new Float64Array(indices.length);
    let count = 0;
    for (let i = 0; i < indices.length && count < k; i++) {
      if (similarities[i]! <= 0) break;
      if (isAmong(anchor, indices[i]!)) continue;
      products[count] = indices[i]!;
      scores[count++] = similarities[i]!;
    }
    return { indices: products.subarray(0, count), scores: scores.subarray(0, count) };
  };

  const ofProducts = createAnswerCache(productCount, MOST_KEPT);
  /** Both lists of an answer ask the same, so the second one reuses the result. */
  let last: { readonly query: SourceQuery; readonly k: number; readonly found: Candidates } | undefined;
  const near = (query: SourceQuery, k: number): Candidates => {
    const product = loneAnchor(query);
    if (product !== undefined) return ofProducts.of(product, k, (most) => search(query, most));
    if (last?.query !== query || last.k !== k) last = { query, k, found: search(query, k) };
    return last.found;
  };

  /** A product newer than the model has no index, so a reason has only the similarity. */
  const explain = (query: SourceQuery, product: number): Explanation | undefined => {
    const vector = vectorOf(product);
    if (vector === undefined) return undefined;
    const fresh = placed(model, query);
    const reasons =
      fresh.length > 0
        ? fresh.map((other) => ({ becauseOf: [], other }))
        : [...query.anchor].map((other) => ({ becauseOf: [other], other: vectorOf(other) }));
    let best: Explanation | undefined;
    let nearest = Number.NEGATIVE_INFINITY;
    for (const { becauseOf, other } of reasons) {
      if (other === undefined) continue;
      const similarity = dot(vector, other);
      if (similarity > nearest) best = { becauseOf, counts: { similarity } };
      nearest = Math.max(nearest, similarity);
    }
    return best;
  };

  return {
    name: "semantic",
    complements: near,
    alternatives: near,
    explain: (query, _list, product) => explain(query, product),
  };
}

export function textPlacing(model: SemanticModel, vectorOf: ProductVectors): TextPlacing {
  return {
    dimensions: model.index.dimensions,
    place: (text) => placeText(model, text),
    direction: (query) => directionOf(model, vectorOf, query),
  };
}

function placed(model: SemanticModel, { unseen = [] }: SourceQuery): Float32Array[] {
  return unseen.map((text) => placeText(model, text)).filter((vector) => vector !== undefined);
}

function directionOf(model: SemanticModel, vectorOf: ProductVectors, query: SourceQuery): Float32Array | undefined {
  const fresh = placed(model, query);
  const known = fresh.length > 0 ? fresh : [...query.anchor].map(vectorOf).filter((vector) => vector !== undefined);
  return meanDirection(known, model.index.dimensions);
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

/** For a few products faster than `includes`. */
function isAmong(few: Uint32Array, product: number): boolean {
  for (let i = 0; i < few.length; i++) if (few[i] === product) return true;
  return false;
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
