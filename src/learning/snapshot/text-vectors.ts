import { DataDamaged } from "../../domain/errors.js";
import type { SnapshotBytes } from "../../domain/model.js";
import type { Section } from "../common/section.js";
import { decodeContainer } from "./container.js";

/**
 * Vectors of the operator's text model, cached in the snapshot by text, so that the next training embeds only changed
 * texts.
 */
export interface TextVectors {
  /** Name of the model; vectors of another one are useless. */
  readonly name: string;
  readonly dimensions: number;
  /** `HASH_BYTES` of each text. */
  readonly hashes: Uint8Array;
  /** One unit vector of `dimensions` numbers after the other. */
  readonly vectors: Float32Array;
}

export const HASH_BYTES = 16;

const FORMAT = 1;

/** The name of their section. Nothing that serves reads it. */
export const TEXT_VECTORS = "text_vectors";

export function encodeTextVectors({ name, dimensions, hashes, vectors }: TextVectors): Section {
  return {
    formatNumber: FORMAT,
    numbers: { dimensions },
    arrays: { name: new TextEncoder().encode(name), hashes, vectors },
  };
}

/** The text vectors of a snapshot's bytes; undefined when it has none of a known format. */
export function readTextVectors(bytes: SnapshotBytes): TextVectors | undefined {
  const section = decodeContainer(bytes).sections.get(TEXT_VECTORS);
  if (section === undefined || section.formatNumber !== FORMAT) return undefined;
  const { name, hashes, vectors } = section.arrays;
  const { dimensions } = section.numbers;
  if (!(name instanceof Uint8Array) || !(hashes instanceof Uint8Array) || !(vectors instanceof Float32Array))
    throw new DataDamaged("The text vectors of the model snapshot lack a part");
  if (dimensions === undefined || vectors.length * HASH_BYTES !== hashes.length * dimensions)
    throw new DataDamaged("The text vectors of the model snapshot do not fit together");
  return { name: new TextDecoder().decode(name), dimensions, hashes, vectors };
}
