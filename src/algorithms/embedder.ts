/**
 * Product texts as unit vectors in which near means alike: TF-IDF of words and character n-grams, reduced by truncated
 * SVD (latent semantic analysis: Deerwester, Dumais, Furnas, Landauer, Harshman, JASIS 1990).
 *
 *   vector = normalise(tf-idf row * V * S^-whitening)
 *
 * V and S come from at most `fitTexts` texts, evenly spread, which bounds the time; every text is embedded with them.
 * Whitening of 0 leaves the scores as SVD gives them, led by the few largest topics; 1 makes all directions equal.
 *
 * One iteration of the SVD is on purpose: a subspace not yet turned wholly to the largest topics keeps more of the words
 * that tell one kind of product from another, and finds products of the same class better than an exact SVD does.
 *
 * A text that the vocabulary knows nothing of has no vector: `embedText` gives undefined and `embedAll` leaves it out.
 * Memory and snapshot: 4 bytes * terms * dimensions.
 */
import { createRandom } from "./random.js";
import {
  fitVocabulary,
  type ProductText,
  type SparseRows,
  TEXT_FEATURES,
  type TextFeatureParams,
  textRows,
  type Vocabulary,
} from "./text-features.js";
import { truncatedSvd } from "./truncated-svd.js";

export { decodeEmbedder, encodeEmbedder } from "./embedder-section.js";
export type { ProductText } from "./text-features.js";

export interface EmbedderParams {
  readonly seed: number;
  /** Numbers of a vector at most; a small catalogue has fewer independent directions. */
  readonly dimensions: number;
  /** The same for catalogues of more than `fitTexts` texts, where memory and time count. */
  readonly dimensionsOfMany: number;
  /** Power of the singular values that directions are divided by, 0 to 1. */
  readonly whitening: number;
  /** Texts that V is fitted on at most. */
  readonly fitTexts: number;
  readonly iterations: number;
  readonly features: TextFeatureParams;
}

export const EMBEDDER: Omit<EmbedderParams, "seed"> = {
  dimensions: 256,
  dimensionsOfMany: 128,
  whitening: 0,
  fitTexts: 30_000,
  iterations: 1,
  features: TEXT_FEATURES,
};

export interface Embedder {
  readonly vocabulary: Vocabulary;
  readonly dimensions: number;
  /** V * S^-whitening, term by term: `dimensions` numbers each. */
  readonly projection: Float32Array;
}

/** Vectors of the texts that have one. */
export interface Embedded {
  /** One unit vector of `dimensions` numbers after the other. */
  readonly vectors: Float32Array;
  /** Index of the text of each vector, rising. */
  readonly rows: Uint32Array;
  readonly dimensions: number;
}

const OVERSAMPLING = 16;

/** Learns from texts. Of texts that share no term nothing can be learned: `dimensions` is 0 and nothing gets a vector. */
export function fitEmbedder(
  texts: readonly ProductText[],
  params: Partial<EmbedderParams> & { seed: number },
): Embedder {
  const { seed, dimensions, dimensionsOfMany, whitening, fitTexts, iterations, features } = { ...EMBEDDER, ...params };
  const vocabulary = fitVocabulary(texts, features);
  const every = Math.max(1, Math.ceil(texts.length / fitTexts));
  const sample = every === 1 ? texts : texts.filter((_, n) => n % every === 0);
  const svd = truncatedSvd(
    textRows(vocabulary, sample),
    { rank: texts.length > fitTexts ? dimensionsOfMany : dimensions, oversampling: OVERSAMPLING, iterations },
    createRandom(seed),
  );
  const scales = svd.singularValues.map((value) => (whitening === 0 ? 1 : value ** -whitening));
  const projection = Float32Array.from(svd.vectors, (value, i) => value * scales[i % svd.rank]!);
  return { vocabulary, dimensions: svd.rank, projection };
}

/** The unit vector of a text, or undefined when the vocabulary knows nothing of it. */
export function embedText(embedder: Embedder, text: ProductText): Float32Array | undefined {
  const { vectors, rows } = embedAll(embedder, [text]);
  return rows.length === 0 ? undefined : vectors;
}

export function embedAll(embedder: Embedder, texts: readonly ProductText[]): Embedded {
  const { dimensions } = embedder;
  const vectors = new Float32Array(texts.length * dimensions);
  const rows = new Uint32Array(texts.length);
  let count = 0;
  for (const [r, text] of texts.entries()) {
    if (project(embedder, textRows(embedder.vocabulary, [text]), vectors, count * dimensions)) rows[count++] = r;
  }
  return { vectors: vectors.slice(0, count * dimensions), rows: rows.slice(0, count), dimensions };
}

/** Writes the unit vector of a matrix of one row to `vectors`; false, and nothing written, when it has none. */
function project({ dimensions, projection }: Embedder, row: SparseRows, vectors: Float32Array, to: number): boolean {
  const sums = new Float64Array(dimensions);
  for (const [at, column] of row.columns.entries()) {
    const value = row.values[at]!;
    for (let d = 0; d < dimensions; d++) sums[d]! += value * projection[column * dimensions + d]!;
  }
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  // What is left of a text that lies across all directions kept is rounding, not meaning.
  if (!(squares > 1e-12)) return false;
  const length = Math.sqrt(squares);
  for (let d = 0; d < dimensions; d++) vectors[to + d] = sums[d]! / length;
  return true;
}
