import type { VectorIndex } from "../../../src/adapters/vector-index.js";
import { nearest } from "../../../src/learning/text/nearest.js";

/** Share of the ten nearest that the index finds; of equally near ones any counts. */
export function recallAt10(index: VectorIndex, vectors: Float32Array, probes: number): number {
  const { count, dimensions } = index;
  let found = 0;
  let wanted = 0;
  for (let p = 0; p < probes; p++) {
    const from = Math.floor((p * count) / probes) * dimensions;
    const query = vectors.subarray(from, from + dimensions);
    const exact = nearest(vectors, dimensions, query, 10).scores;
    wanted += exact.length;
    found += index.search(query, 10).similarities.filter((similarity) => similarity >= exact.at(-1)! - 1e-5).length;
  }
  return found / wanted;
}
