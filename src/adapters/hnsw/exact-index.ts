import { nearest } from "../../learning/text/nearest.js";
import type { VectorIndex } from "../vector-index.js";
import { checkQuery, EXACT, encodeIndex } from "./format.js";

/** Exact search: compares every vector. It is faster than hnswlib for few vectors. */
export function exactIndex(vectors: Float32Array, dimensions: number): VectorIndex {
  const count = dimensions === 0 ? 0 : vectors.length / dimensions;
  return {
    count,
    dimensions,
    search: (query, k) => {
      checkQuery(query, dimensions);
      const { indices, scores } = nearest(vectors, dimensions, query, Math.max(0, k));
      return { indices, similarities: Float32Array.from(scores) };
    },
    encode: () => {
      const payload = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
      return encodeIndex({ kind: EXACT, count, dimensions, efSearch: 0 }, payload);
    },
  };
}
