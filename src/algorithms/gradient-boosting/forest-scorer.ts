/**
 * Scores rows by a forest. Each tree is walked by four rows at once, as many steps as it is deep: a leaf leads to itself,
 * so that no step depends on whether one has arrived and the processor need not guess, nor wait for one row's values
 * before it asks for the next one's. 95 rows by 300 trees of 24 leaves: 0.4 ms instead of 0.9 to 1.1 row by row.
 */
import type { Forest } from "./forest.js";

/** Adds the scores of `count` rows, which lie one after the other at the front of `rows`, to `scores`. */
export type ForestScorer = (rows: Float32Array, count: number, scores: Float64Array) => void;

export function createForestScorer({ featureCount, roots, features, values, lefts }: Forest): ForestScorer {
  // A row goes to `ways[node]`, or behind it when its value is above `limits[node]`.
  const ways = lefts.map((left, node) => (left === 0 ? node : left));
  const limits = values.map((value, node) => (lefts[node] === 0 ? Number.POSITIVE_INFINITY : value));
  const depths = roots.map((root) => depthOf(lefts, root));

  return (rows, count, scores) => {
    // Tree by tree: one tree and all the rows stay in the nearest cache, a row and all the trees would not.
    for (let t = 0; t < roots.length; t++) {
      const root = roots[t]!;
      const depth = depths[t]!;
      for (let r = 0; r < count; r += 4) {
        // Behind the last row the last one is walked again.
        const at0 = r * featureCount;
        const at1 = Math.min(r + 1, count - 1) * featureCount;
        const at2 = Math.min(r + 2, count - 1) * featureCount;
        const at3 = Math.min(r + 3, count - 1) * featureCount;
        let node0 = root;
        let node1 = root;
        let node2 = root;
        let node3 = root;
        for (let d = 0; d < depth; d++) {
          node0 = ways[node0]! + (rows[at0 + features[node0]!]! > limits[node0]! ? 1 : 0);
          node1 = ways[node1]! + (rows[at1 + features[node1]!]! > limits[node1]! ? 1 : 0);
          node2 = ways[node2]! + (rows[at2 + features[node2]!]! > limits[node2]! ? 1 : 0);
          node3 = ways[node3]! + (rows[at3 + features[node3]!]! > limits[node3]! ? 1 : 0);
        }
        scores[r]! += values[node0]!;
        if (r + 1 < count) scores[r + 1]! += values[node1]!;
        if (r + 2 < count) scores[r + 2]! += values[node2]!;
        if (r + 3 < count) scores[r + 3]! += values[node3]!;
      }
    }
  };
}

function depthOf(lefts: Uint32Array, node: number): number {
  const left = lefts[node]!;
  return left === 0 ? 0 : 1 + Math.max(depthOf(lefts, left), depthOf(lefts, left + 1));
}
