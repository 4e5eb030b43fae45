/**
 * Texts as sparse rows of TF-IDF: words and character n-grams of title, brand, categories and description.
 *
 *   value(term) = gram weight * idf * sum over fields of field weight * times * (s + 1) / (times + s * norm)
 *   norm        = 1 - l + l * words of the field / mean words of such fields,  s = saturation, l = lengthShare
 *   idf         = (ln((1 + texts) / (1 + texts with the term)) + 1) ^ idfPower
 *
 * and each row is divided by its length. Words carry meaning where they match; n-grams (of words with their ends
 * marked) carry it over inflected, compound and misspelt words, and are taken only of the short fields, where they
 * say most: of descriptions they would be most of the work. A word counts little more for being repeated, and less in a
 * longer field, as in BM25 (Robertson, Zaragoza: The probabilistic relevance framework, 2009). Salton, Buckley: Term-weighting approaches in automatic
 * text retrieval, 1988; McNamee, Mayfield: Character n-gram tokenization for European language text retrieval, 2004.
 *
 * The vocabulary leaves out terms of fewer than `minDocuments` texts and of more than `maxDocumentShare` of them, and
 * keeps the most frequent of the rest, words and n-grams apart. Memory while fitting: one map entry for each distinct
 * term, some 100 MB for 200,000 products.
 */
import { type TextField, termsOf, wordsOf } from "./text-terms.js";

/** The texts of a product; "" or empty if missing. */
export interface ProductText {
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  readonly categories: readonly string[];
}

export interface TextFeatureParams {
  readonly titleWeight: number;
  /** Of a brand that the title does not name already. */
  readonly brandWeight: number;
  readonly categoryWeight: number;
  readonly descriptionWeight: number;
  /** Weight of an n-gram against a word. */
  readonly gramWeight: number;
  /** How much rarity counts, 1 as usual. Less where another weight says how telling a term is. */
  readonly idfPower: number;
  /** How far repeats of a word in a field add up; 0: not at all. */
  readonly saturation: number;
  /** How much the length of a field counts, 0 to 1. */
  readonly lengthShare: number;
  readonly minDocuments: number;
  readonly maxDocumentShare: number;
  readonly maxWords: number;
  readonly maxGrams: number;
}

/**
 * Tuned for similar products on catalogues of fashion and household goods: a brand that weighs much finds other things
 * of the same brand instead of the same thing of other brands, and so do heavy n-grams.
 */
export const TEXT_FEATURES: TextFeatureParams = {
  titleWeight: 1,
  brandWeight: 0.3,
  categoryWeight: 1,
  descriptionWeight: 1,
  gramWeight: 0.2,
  idfPower: 0.75,
  saturation: 0.6,
  lengthShare: 0.5,
  minDocuments: 2,
  maxDocumentShare: 0.5,
  maxWords: 20_000,
  maxGrams: 10_000,
};

/** Mean number of words: of titles, which all short fields are compared with, and of descriptions. */
export type FieldLengths = Readonly<Record<TextField, number>>;

/** Terms in order of their column, and how much each says. */
export interface Vocabulary {
  readonly terms: readonly string[];
  /** Weight of a term apart from its field: idf, for n-grams times `gramWeight`, times what more is known of it. */
  readonly weights: Float32Array;
  readonly params: TextFeatureParams;
  readonly lengths: FieldLengths;
  columnOf(term: string): number | undefined;
}

/** A sparse matrix in compressed rows; the columns of a row rise. */
export interface SparseRows {
  readonly offsets: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
  readonly columnCount: number;
}

export function fitVocabulary(texts: readonly ProductText[], params: TextFeatureParams = TEXT_FEATURES): Vocabulary {
  const lengths = {
    short: meanWords(
      texts.map((text) => text.title),
      "short",
    ),
    long: meanWords(
      texts.map((text) => text.description),
      "long",
    ),
  };
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const term of weighTerms(text, params, lengths).keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const most = Math.max(params.minDocuments, texts.length * params.maxDocumentShare);
  const fitting = [...counts].filter(([, count]) => count >= params.minDocuments && count <= most);
  fitting.sort(([a, inA], [b, inB]) => inB - inA || (a < b ? -1 : 1));
  const words = fitting.filter(([term]) => !isGram(term)).slice(0, params.maxWords);
  const grams = fitting.filter(([term]) => isGram(term)).slice(0, params.maxGrams);
  const kept = [...words, ...grams];
  const weights = Float32Array.from(
    kept,
    ([term, count]) =>
      (Math.log((1 + texts.length) / (1 + count)) + 1) ** params.idfPower * (isGram(term) ? params.gramWeight : 1),
  );
  return vocabularyOf(
    kept.map(([term]) => term),
    weights,
    params,
    lengths,
  );
}

function meanWords(contents: readonly string[], field: TextField): number {
  const counts = contents.map((content) => wordsOf(content, field).length).filter((count) => count > 0);
  return counts.length === 0 ? 1 : counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

export function vocabularyOf(
  terms: readonly string[],
  weights: Float32Array,
  params: TextFeatureParams,
  lengths: FieldLengths,
): Vocabulary {
  const columns = new Map(terms.map((term, column) => [term, column]));
  return { terms, weights, params, lengths, columnOf: (term) => columns.get(term) };
}

/** The texts as rows of length 1. A text of which the vocabulary knows nothing has an empty row. */
export function textRows(vocabulary: Vocabulary, texts: readonly ProductText[]): SparseRows {
  const offsets = new Uint32Array(texts.length + 1);
  const columns: number[] = [];
  const values: number[] = [];
  for (const [r, text] of texts.entries()) {
    const row: [column: number, value: number][] = [];
    let squares = 0;
    for (const [term, weight] of weighTerms(text, vocabulary.params, vocabulary.lengths)) {
      const column = vocabulary.columnOf(term);
      if (column === undefined) continue;
      const value = weight * vocabulary.weights[column]!;
      row.push([column, value]);
      squares += value * value;
    }
    row.sort(([a], [b]) => a - b);
    const length = Math.sqrt(squares);
    for (const [column, value] of row) {
      columns.push(column);
      values.push(value / length);
    }
    offsets[r + 1] = columns.length;
  }
  return {
    offsets,
    columns: Uint32Array.from(columns),
    values: Float32Array.from(values),
    columnCount: vocabulary.terms.length,
  };
}

function isGram(term: string): boolean {
  return term.startsWith("#");
}

/** Every term of a text with its weight before IDF. */
function weighTerms(text: ProductText, params: TextFeatureParams, lengths: FieldLengths): Map<string, number> {
  const weighed = new Map<string, number>();
  const add = (field: TextField, content: string, weight: number, isNew = true) => {
    if (weight === 0 || !isNew) return;
    const counts = new Map<string, number>();
    for (const term of termsOf(field, content)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const { saturation, lengthShare } = params;
    const words = wordsOf(content, field).length;
    const norm = saturation * (1 - lengthShare + (lengthShare * words) / lengths[field]);
    for (const [term, count] of counts) {
      weighed.set(term, (weighed.get(term) ?? 0) + (weight * count * (saturation + 1)) / (count + norm));
    }
  };
  add("short", text.title, params.titleWeight);
  add("short", text.brand, params.brandWeight, !text.title.toLowerCase().includes(text.brand.toLowerCase()));
  add("short", text.categories.join("\n"), params.categoryWeight);
  add("long", text.description, params.descriptionWeight);
  return weighed;
}
