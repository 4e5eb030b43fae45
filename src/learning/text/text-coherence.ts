/**
 * How well a term tells what a product is, learned without classes: by the likeness of the texts that have it.
 *
 *   coherence(term) = mean cosine of two different texts with the term, in a space of few topics
 *   weight(term)    = ((n * coherence + shrinkage * mean coherence) / (n + shrinkage)) ^ power,  n = texts with it
 *
 * Rarity alone (IDF) takes a brand, a colour or a phrase of one supplier for as telling as the name of a kind of
 * product. Yet the texts with "teapot" are alike in their other words too, those with "blue" are of every kind. Terms of
 * few texts are drawn to the mean, as two texts may be alike by chance. Related: term weighting by the entropy of a
 * term over documents (Dumais 1991) and by the clarity of its language model (Cronen-Townsend, Zhou, Croft 2002); here
 * topics are the leading directions of the texts themselves, few enough that a term of two texts gets none of its own.
 *
 * Time: an SVD of `topics` directions; memory: 8 bytes * terms * topics.
 */
import type { SparseRows } from "./text-features.js";
import { type Random, truncatedSvd } from "./truncated-svd.js";

export interface CoherenceParams {
  readonly topics: number;
  /** Texts' worth of mean coherence that is added to each term. */
  readonly shrinkage: number;
  /** 0 weighs all terms alike. */
  readonly power: number;
}

export const COHERENCE: CoherenceParams = { topics: 16, shrinkage: 5, power: 0.75 };

/** Below this two texts with the term are as alike as any two. */
const LEAST = 1e-3;
const OVERSAMPLING = 16;

/** A weight above 0 for each column. */
export function coherenceWeights(matrix: SparseRows, params: CoherenceParams, random: Random): Float64Array {
  const { offsets, columns, columnCount } = matrix;
  const svd = truncatedSvd(matrix, { rank: params.topics, oversampling: OVERSAMPLING, iterations: 1 }, random);
  const counts = new Float64Array(columnCount);
  const sums = new Float64Array(columnCount * svd.rank);
  const topics = new Float64Array(svd.rank);
  for (let r = 0; r + 1 < offsets.length; r++) {
    if (!unitTopics(matrix, r, svd.vectors, topics)) continue;
    for (let at = offsets[r]!; at < offsets[r + 1]!; at++) {
      const column = columns[at]!;
      counts[column]!++;
      for (let t = 0; t < topics.length; t++) sums[column * topics.length + t]! += topics[t]!;
    }
  }
  const coherences = counts.map((n, column) => {
    if (n < 2) return 0;
    let squares = 0;
    for (let t = 0; t < topics.length; t++) squares += sums[column * topics.length + t]! ** 2;
    // Of the n * n pairs in the square of the sum, n are a text with itself.
    return Math.max(0, (squares - n) / (n * (n - 1)));
  });
  let all = 0;
  let weighed = 0;
  for (const [column, n] of counts.entries()) {
    all += n;
    weighed += n * coherences[column]!;
  }
  const mean = all === 0 ? 0 : weighed / all;
  const { shrinkage, power } = params;
  return coherences.map((coherence, column) => {
    const n = counts[column]!;
    const shrunk = n + shrinkage === 0 ? mean : (n * coherence + shrinkage * mean) / (n + shrinkage);
    return Math.max(shrunk, LEAST) ** power;
  });
}

/** Where row `r` points in the space of topics, as a unit vector; false when it points nowhere. */
function unitTopics(matrix: SparseRows, r: number, vectors: Float64Array, topics: Float64Array): boolean {
  topics.fill(0);
  for (let at = matrix.offsets[r]!; at < matrix.offsets[r + 1]!; at++) {
    const value = matrix.values[at]!;
    const from = matrix.columns[at]! * topics.length;
    for (let t = 0; t < topics.length; t++) topics[t]! += value * vectors[from + t]!;
  }
  let squares = 0;
  for (const topic of topics) squares += topic * topic;
  if (!(squares > 1e-12)) return false;
  const length = Math.sqrt(squares);
  for (let t = 0; t < topics.length; t++) topics[t]! /= length;
  return true;
}
