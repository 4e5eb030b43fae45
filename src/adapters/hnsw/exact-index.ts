import type { Nearest, VectorIndex } from "../../ports/vector-index.js";
import { checkQuery, dot, EXACT, encodeIndex, sorted } from "./format.js";

/** Looks at every vector: the answer that hnswlib comes near to, and quicker than it for few vectors. */
export function exactIndex(vectors: Float32Array, dimensions: number): VectorIndex {
  const count = dimensions === 0 ? 0 : vectors.length / dimensions;
  return {
    count,
    dimensions,
    search: (query, k) => {
      checkQuery(query, dimensions);
      return exactSearch(vectors, dimensions, query, k);
    },
    encode: () => {
      const payload = new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength);
      return encodeIndex({ kind: EXACT, count, dimensions, efSearch: 0 }, payload);
    },
  };
}

export function exactSearch(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Nearest {
  const count = dimensions === 0 ? 0 : vectors.length / dimensions;
  const similarities = Float32Array.from({ length: count }, (_, v) => dot(vectors, v * dimensions, query));
  return sorted(Array.from(similarities.keys()), similarities, k);
}
