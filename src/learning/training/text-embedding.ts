import { createHash } from "node:crypto";
import type { TextEmbedder } from "../../adapters/embedder.js";
import { DomainError } from "../../domain/errors.js";
import { HASH_BYTES, type TextVectors } from "../snapshot/text-vectors.js";
import type { ProductText } from "../text/embedder.js";
import { withoutMarkup } from "../text/text-terms.js";

/** Characters of a product's text that are embedded: sentence models read some 1,000 to 2,000. */
const MAX_CHARACTERS = 2000;
/** Texts in one request. A failed request loses no vectors of earlier requests. */
const BATCH = 64;

export interface EmbeddedTexts {
  /** Unit vector by text; undefined for an empty text and for one without a vector. */
  readonly vectors: readonly (Float32Array | undefined)[];
  readonly dimensions: number;
  /** Texts that are not empty and have no vector. */
  readonly missing: number;
  /** Why vectors are missing, for the operator; "" when the embedder did not fail. */
  readonly failure: string;
  /** Cache for the next training. */
  readonly kept: TextVectors;
}

/** The input of a sentence model for a product; "" for a product without text. */
export function sentenceOf({ title, description, brand, categories }: ProductText): string {
  const named = title.toLowerCase().includes(brand.toLowerCase()) ? "" : brand;
  const parts = [title, named, categories.join(", "), description];
  return withoutMarkup(parts.filter((part) => part !== "").join(". "))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_CHARACTERS)
    .replace(/\p{Surrogate}/gu, "");
}

/**
 * Embeds each text once, and uses cached vectors of the same embedder name. After a failure it asks the embedder no
 * more and keeps earlier vectors. Vectors of zeros or with NaN are dropped.
 */
export async function embedTexts(
  texts: readonly string[],
  embedder: TextEmbedder,
  kept: TextVectors | undefined,
  onProgress: (share: number) => void,
): Promise<EmbeddedTexts> {
  const hashes = texts.map((text) => (text === "" ? "" : hashOf(text)));
  const known = kept?.name === embedder.name ? vectorsOf(kept) : new Map<string, Float32Array>();
  const wanted = new Map(texts.map((text, i) => [hashes[i]!, text] as const).filter(([hash]) => hash !== ""));
  const fresh = [...wanted].filter(([hash]) => !known.has(hash));
  let dimensions = known.size > 0 ? (kept?.dimensions ?? 0) : 0;
  let failure = "";
  try {
    for (let from = 0; from < fresh.length; from += BATCH) {
      onProgress(from / fresh.length);
      const batch = fresh.slice(from, from + BATCH);
      const given = await embedder.embed(batch.map(([, text]) => text));
      for (const [i, [hash]] of batch.entries()) {
        const vector = unit(given[i]);
        if (vector === undefined) continue;
        if (dimensions === 0) dimensions = vector.length;
        // The name now stands for another model: drop all old vectors.
        else if (vector.length !== dimensions && known.size > 0 && kept !== undefined)
          return await embedTexts(texts, embedder, undefined, onProgress);
        if (vector.length !== dimensions) throw new VectorsDiffer("the embedder's vectors differ in length");
        known.set(hash, vector);
      }
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    failure = error.message;
  }
  const vectors = hashes.map((hash) => known.get(hash));
  const missing = hashes.filter((hash, i) => hash !== "" && vectors[i] === undefined).length;
  return { vectors, dimensions, missing, failure, kept: keep(embedder.name, dimensions, [...wanted.keys()], known) };
}

class VectorsDiffer extends DomainError {}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, HASH_BYTES).toString("hex");
}

function vectorsOf({ hashes, vectors, dimensions }: TextVectors): Map<string, Float32Array> {
  const found = new Map<string, Float32Array>();
  for (let i = 0; i * HASH_BYTES < hashes.length; i++) {
    const hash = Buffer.from(hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)).toString("hex");
    found.set(hash, vectors.subarray(i * dimensions, (i + 1) * dimensions));
  }
  return found;
}

function keep(
  name: string,
  dimensions: number,
  wanted: readonly string[],
  known: ReadonlyMap<string, Float32Array>,
): TextVectors {
  const have = wanted.filter((hash) => known.has(hash));
  const hashes = new Uint8Array(have.length * HASH_BYTES);
  const vectors = new Float32Array(have.length * dimensions);
  for (const [i, hash] of have.entries()) {
    hashes.set(Buffer.from(hash, "hex"), i * HASH_BYTES);
    vectors.set(known.get(hash)!, i * dimensions);
  }
  return { name, dimensions, hashes, vectors };
}

/** The vector with length 1; undefined when it has no direction. */
function unit(vector: Float32Array | undefined): Float32Array | undefined {
  let squares = 0;
  for (const value of vector ?? []) squares += value * value;
  if (vector === undefined || !(squares > 0) || !Number.isFinite(squares)) return undefined;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
