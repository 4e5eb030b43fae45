import type { TextEmbedder } from "../../adapters/embedder.js";
import type { VectorIndexes } from "../../adapters/vector-index.js";
import { DomainError } from "../../domain/errors.js";
import type { AlgorithmFacts } from "../../domain/model.js";
import type { Rows } from "../common/rows.js";
import type { TextVectors } from "../snapshot/text-vectors.js";
import type { SemanticModel } from "../sources/texts.js";
import { embedAll, fitEmbedder, type ProductText } from "../text/embedder.js";
import { joinVectors } from "../text/embedder-join.js";
import { drawToNeighbours } from "../text/text-neighbours.js";
import { learnFromVisits } from "../text/visit-embedding.js";
import { type EmbeddedTexts, embedTexts, sentenceOf } from "./text-embedding.js";

/**
 * Recall@10 against exact search stays above 0.99 with these on every catalogue it was measured on. Catalogues with many
 * products of one text need the width: copies link to each other and to little else. Candidates are asked for by the 100,
 * and hnswlib looks at that many at least; a build whose recall is lower with it gets a larger one.
 */
export const VECTOR_INDEX = { m: 16, efConstruction: 200, efSearch: 100 } as const;
const MIN_TEXTS = 5;
/** With fewer of its vectors than this a text model is left out: products without one would be found too rarely. */
const MIN_SHARE = 0.9;

/** The operator's text model, and the vectors cached by the last training. */
export interface TextEmbedding {
  /** Rejects with a DomainError when it cannot be used; its message is for the operator. */
  readonly open: () => Promise<TextEmbedder>;
  readonly kept: () => Promise<TextVectors | undefined>;
}

export interface SemanticOptions {
  readonly vectorIndexes: VectorIndexes;
  readonly seed: number;
  /** Undefined: the built-in embedder alone. */
  readonly embedding: TextEmbedding | undefined;
  /** Product indices of visits, which teach the built-in embedder; undefined: it learns from the texts alone. */
  readonly visits: Rows | undefined;
  /** Reports the share of embedded texts, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export interface LearnedSemantic {
  readonly semantic: SemanticModel | undefined;
  /** For the snapshot, whether or not they are used. */
  readonly textVectors: TextVectors | undefined;
  readonly facts: readonly AlgorithmFacts[];
}

/**
 * Vectors of the products' texts and an index over them. With a text model of the operator a vector is made of its
 * vector and that of the built-in embedder; when it fails, the built-in embedder serves alone and the facts say why.
 */
export async function learnSemantic(
  texts: readonly ProductText[],
  { vectorIndexes, seed, embedding, visits, onProgress }: SemanticOptions,
): Promise<LearnedSemantic> {
  const withText = texts.filter((text) => text.title !== "" || text.description !== "").length;
  const leftOut = (reason: string) => ({ name: "semantic", included: false, reason, facts: {} });
  if (withText < MIN_TEXTS) {
    const facts = [leftOut(`${withText} products with a text, ${MIN_TEXTS} are needed`)];
    return { semantic: undefined, textVectors: undefined, facts };
  }
  const asked = embedding && (await askEmbedding(texts, embedding, onProgress));
  const untaught = fitEmbedder(texts, { seed });
  const embedder = (visits && learnFromVisits(untaught, texts, visits, { seed })) ?? untaught;
  const own = drawToNeighbours(embedAll(embedder, texts));
  const { vectors, rows, dimensions } = asked?.used ? joinVectors(asked.used.vectors, asked.used.dimensions, own) : own;
  const facts = asked ? [asked.facts] : [];
  const textVectors = asked?.kept;
  if (dimensions === 0 || rows.length === 0) {
    facts.push(leftOut("the texts share no word that tells products apart"));
    return { semantic: undefined, textVectors, facts };
  }
  const index = vectorIndexes.build(vectors, dimensions, { ...VECTOR_INDEX, seed });
  const { recall, efSearch } = index;
  const numbers = { products: rows.length, dimensions, index_recall_10: recall, index_search_width: efSearch };
  facts.push({ name: "semantic", included: true, reason: "", facts: numbers });
  const textDimensions = asked?.used?.dimensions ?? 0;
  return { semantic: { embedder, textDimensions, rows, vectors, index }, textVectors, facts };
}

interface AskedEmbedding {
  readonly kept: TextVectors | undefined;
  /** The same when there is enough of it. */
  readonly used: EmbeddedTexts | undefined;
  readonly facts: AlgorithmFacts;
}

async function askEmbedding(
  texts: readonly ProductText[],
  { open, kept }: TextEmbedding,
  onProgress: (share: number) => void,
): Promise<AskedEmbedding> {
  const leftOut = (reason: string) => ({ name: "text_embedder", included: false, reason, facts: {} });
  // An unreadable snapshot keeps no vectors. The serving side reports the damage.
  const before = await kept().catch(unlessDomainError(() => undefined));
  const embedder = await open().catch(unlessDomainError((error) => error));
  // Keep the old vectors: the text model may be back at the next training.
  if (embedder instanceof DomainError) return { kept: before, used: undefined, facts: leftOut(embedder.message) };
  try {
    const sentences = texts.map(sentenceOf);
    const given = await embedTexts(sentences, embedder, before, onProgress);
    const wanted = sentences.filter((text) => text !== "").length;
    const { missing, dimensions } = given;
    if (wanted === 0 || wanted - missing < MIN_SHARE * wanted) {
      const reason = given.failure || "it returns vectors for too few texts";
      return { kept: given.kept, used: undefined, facts: leftOut(reason) };
    }
    const numbers = { texts: wanted - missing, texts_missing: missing, dimensions };
    const facts = { name: "text_embedder", included: true, reason: "", facts: numbers };
    return { kept: given.kept, used: given, facts };
  } finally {
    await embedder.close();
  }
}

/** Answers a DomainError with `answer`; rethrows other errors. */
function unlessDomainError<T>(answer: (error: DomainError) => T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof DomainError)) throw error;
    return answer(error);
  };
}
