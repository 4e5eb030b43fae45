/**
 * Two embeddings of the same texts as one space: both unit vectors side by side, each divided by the root of 2.
 *
 *   cosine(joined a, joined b) = (cosine in the first + cosine in the second) / 2
 *
 * A text that only one of them knows has zeros in the other's part and length 1 all the same: asked with, it ranks by the
 * part it has; among the others it comes behind texts that both find near.
 */
import type { Embedded } from "./embedder.js";

/** `first` holds a unit vector of `firstDimensions` numbers, or nothing, for each text. */
export function joinVectors(
  first: readonly (Float32Array | undefined)[],
  firstDimensions: number,
  second: Embedded,
): Embedded {
  const dimensions = firstDimensions + second.dimensions;
  const vectors = new Float32Array(first.length * dimensions);
  const rows = new Uint32Array(first.length);
  const secondOf = new Map(Array.from(second.rows, (row, v) => [row, v]));
  let count = 0;
  for (const [row, a] of first.entries()) {
    const v = secondOf.get(row);
    if (a === undefined && v === undefined) continue;
    const b = v === undefined ? undefined : second.vectors.subarray(v * second.dimensions, (v + 1) * second.dimensions);
    writeJoined(a, b, firstDimensions, vectors.subarray(count * dimensions, (count + 1) * dimensions));
    rows[count++] = row;
  }
  return { vectors: vectors.slice(0, count * dimensions), rows: rows.slice(0, count), dimensions };
}

/** Writes one joined vector; `to` holds zeros. */
export function writeJoined(
  first: Float32Array | undefined,
  second: Float32Array | undefined,
  firstDimensions: number,
  to: Float32Array,
): void {
  const scale = first === undefined || second === undefined ? 1 : Math.SQRT1_2;
  if (first !== undefined) for (const [d, value] of first.entries()) to[d] = value * scale;
  if (second !== undefined) for (const [d, value] of second.entries()) to[firstDimensions + d] = value * scale;
}
