/**
 * Product texts as unit vectors in which near means alike: TF-IDF of words and character n-grams, weighed by how telling
 * each is (text-coherence.ts) and reduced by truncated SVD (latent semantic analysis: Deerwester, Dumais, Furnas,
 * Landauer, Harshman, JASIS 1990).
 *
 *   direction = normalise(weighed row * V)
 *   vector    = normalise(direction - centring * mean direction)
 *
 * V, the weights and the mean come from at most `fitTexts` texts, evenly spread, and the terms from `vocabularyTexts`,
 * which bounds time and memory; every text is embedded with them. The mean is what all texts of a shop have in common ("buy online, free delivery"), which would make
 * long texts near to everything (Mu, Viswanath: All-but-the-top, 2018); a rest of it is kept, so that a shop of equal
 * texts has vectors too.
 *
 * The SVD makes one iteration on purpose. A subspace that has not fully converged to the largest topics keeps more of the
 * words that tell one kind of product from another. It finds products of the same class better than an exact SVD does.
 *
 * A text without a known term has no vector: `embedText` gives undefined and `embedAll` leaves it out.
 * Memory and snapshot: 4 bytes * terms * dimensions.
 */
import { createRandom } from "../common/random.js";
import { evenly } from "../common/rows.js";
import { type Section, UnknownFormat } from "../common/section.js";
import { COHERENCE, type CoherenceParams, coherenceWeights } from "./text-coherence.js";
import {
  fitVocabulary,
  type ProductText,
  type SparseRows,
  TEXT_FEATURES,
  type TextFeatureParams,
  textRows,
  type Vocabulary,
  vocabularyOf,
} from "./text-features.js";
import { truncatedSvd } from "./truncated-svd.js";

export type { ProductText } from "./text-features.js";

export interface EmbedderParams {
  readonly seed: number;
  /** Maximum numbers of a vector, by number of texts: with many texts, memory and time matter. */
  readonly dimensions: readonly { readonly upTo: number; readonly dimensions: number }[];
  /** Share of the mean direction that is removed, 0 to 1. */
  readonly centring: number;
  /** Maximum texts that V is fitted on. */
  readonly fitTexts: number;
  /** Maximum texts that the terms are counted in: a `Map` ends at 16.7 million of them. */
  readonly vocabularyTexts: number;
  readonly iterations: number;
  readonly features: TextFeatureParams;
  readonly coherence: CoherenceParams;
}

const EMBEDDER: Omit<EmbedderParams, "seed"> = {
  dimensions: [
    { upTo: 5_000, dimensions: 384 },
    { upTo: 30_000, dimensions: 256 },
    { upTo: Number.POSITIVE_INFINITY, dimensions: 128 },
  ],
  centring: 0.85,
  fitTexts: 30_000,
  vocabularyTexts: 200_000,
  iterations: 1,
  features: TEXT_FEATURES,
  coherence: COHERENCE,
};

export interface Embedder {
  readonly vocabulary: Vocabulary;
  readonly dimensions: number;
  /** V, term by term: `dimensions` numbers each. */
  readonly projection: Float32Array;
  /** Subtracted from each direction: `dimensions` numbers. */
  readonly centre: Float32Array;
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
  const { dimensions, centring, fitTexts, vocabularyTexts, iterations, features, coherence, ...rest } = {
    ...EMBEDDER,
    ...params,
  };
  const random = createRandom(rest.seed);
  const plain = fitVocabulary(evenly(texts, vocabularyTexts), features);
  const every = Math.max(1, Math.ceil(texts.length / fitTexts));
  const sample = every === 1 ? texts : texts.filter((_, n) => n % every === 0);
  const telling = coherenceWeights(textRows(plain, sample), coherence, random);
  const weights = plain.weights.map((weight, column) => weight * telling[column]!);
  const vocabulary = vocabularyOf(plain.terms, weights, features, plain.lengths);
  const rank = dimensions.find(({ upTo }) => texts.length <= upTo)?.dimensions ?? 0;
  const svd = truncatedSvd(textRows(vocabulary, sample), { rank, oversampling: OVERSAMPLING, iterations }, random);
  return withCentre({ vocabulary, dimensions: svd.rank, projection: Float32Array.from(svd.vectors) }, sample, centring);
}

/** With the share of the texts' mean direction that is removed from each. */
export function withCentre(
  embedder: Omit<Embedder, "centre">,
  texts: readonly ProductText[],
  centring = EMBEDDER.centring,
): Embedder {
  const uncentred = { ...embedder, centre: new Float32Array(embedder.dimensions) };
  return { ...uncentred, centre: meanOf(embedAll(uncentred, texts)).map((mean) => mean * centring) };
}

function meanOf({ vectors, rows, dimensions }: Embedded): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [i, value] of vectors.entries()) sums[i % dimensions]! += value;
  return Float32Array.from(sums, (sum) => (rows.length === 0 ? 0 : sum / rows.length));
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
  if (count === texts.length) return { vectors, rows, dimensions };
  return { vectors: vectors.slice(0, count * dimensions), rows: rows.slice(0, count), dimensions };
}

/** Writes the unit vector of a matrix of one row to `vectors`; false, and nothing written, when it has none. */
function project(embedder: Embedder, row: SparseRows, vectors: Float32Array, to: number): boolean {
  const { dimensions, projection, centre } = embedder;
  const sums = new Float64Array(dimensions);
  for (const [at, column] of row.columns.entries()) {
    const value = row.values[at]!;
    for (let d = 0; d < dimensions; d++) sums[d]! += value * projection[column * dimensions + d]!;
  }
  if (!normalise(sums)) return false;
  for (let d = 0; d < dimensions; d++) sums[d]! -= centre[d]!;
  if (!normalise(sums)) return false;
  vectors.set(sums, to);
  return true;
}

/** False for a length near 0: such a rest of a text is rounding, not meaning. */
function normalise(vector: Float64Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 1e-12)) return false;
  const length = Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  return true;
}

const FORMAT = 2;
const PARAM_NAMES = Object.keys(TEXT_FEATURES) as readonly (keyof TextFeatureParams)[];

/** The vocabulary is kept as UTF-8 bytes, one term after the other, and the offset at which each begins. */
export function encodeEmbedder({ vocabulary, dimensions, projection, centre }: Embedder): Section {
  const encoder = new TextEncoder();
  const encoded = vocabulary.terms.map((term) => encoder.encode(term));
  const termOffsets = new Uint32Array(encoded.length + 1);
  for (const [t, bytes] of encoded.entries()) termOffsets[t + 1] = termOffsets[t]! + bytes.length;
  const termBytes = new Uint8Array(termOffsets[encoded.length]!);
  for (const [t, bytes] of encoded.entries()) termBytes.set(bytes, termOffsets[t]!);
  return {
    formatNumber: FORMAT,
    numbers: {
      dimensions,
      ...vocabulary.params,
      meanTitle: vocabulary.lengths.short,
      meanDescription: vocabulary.lengths.long,
    },
    arrays: { termOffsets, termBytes, termWeights: vocabulary.weights, projection, centre },
  };
}

/** Throws an Error for a section of another format or with a part missing. */
export function decodeEmbedder({ formatNumber, numbers, arrays }: Section): Embedder {
  if (formatNumber !== FORMAT) throw new UnknownFormat(`An embedder of format ${formatNumber} is not known`);
  const { termOffsets, termBytes, termWeights, projection, centre } = arrays;
  if (!(termOffsets instanceof Uint32Array) || !(termBytes instanceof Uint8Array))
    throw new Error("The embedder lacks its terms");
  if (!(termWeights instanceof Float32Array) || !(projection instanceof Float32Array))
    throw new Error("The embedder lacks its weights");
  if (!(centre instanceof Float32Array)) throw new Error("The embedder lacks its centre");
  const number = (name: string): number => {
    const value = numbers[name];
    if (value === undefined) throw new Error(`The embedder lacks the number ${name}`);
    return value;
  };
  const params: Record<keyof TextFeatureParams, number> = { ...TEXT_FEATURES };
  for (const name of PARAM_NAMES) params[name] = number(name);
  const lengths = { short: number("meanTitle"), long: number("meanDescription") };
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const terms = Array.from(termWeights, (_, t) =>
    decoder.decode(termBytes.subarray(termOffsets[t]!, termOffsets[t + 1]!)),
  );
  return {
    vocabulary: vocabularyOf(terms, termWeights, params, lengths),
    dimensions: number("dimensions"),
    projection,
    centre,
  };
}
