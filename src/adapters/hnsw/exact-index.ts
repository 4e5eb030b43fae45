import { nearest } from "../../learning/text/nearest.js";
import type { VectorIndex } from "../vector-index.js";
import { checkQuery, EXACT, encodeIndex } from "./format.js";

/** Exact search: compares every vector. For few vectors it is faster than a graph. Its bytes hold no vectors. */
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
    encode: () => encodeIndex({ kind: EXACT, count, dimensions, efSearch: 0 }, new Uint8Array(0)),
  };
}
