import type { Section } from "../common/section.js";
import { UnknownFormat } from "../common/section-reader.js";
import type { Embedder } from "./embedder.js";
import { TEXT_FEATURES, type TextFeatureParams, vocabularyOf } from "./text-features.js";

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
