import type { Forest } from "../../src/learning/ranking/gradient-boosting/forest.js";
import {
  PACKED_FORMAT,
  PACKED_NODE_BYTES,
  type PackedForest,
} from "../../src/learning/ranking/reranker/packed-forest.js";

/** Throws RangeError for a forest of more than 255 features or nodes in a tree. */
export function packForest(forest: Forest, featureNames: readonly string[], learnedFrom: string): PackedForest {
  const { roots, features, values, lefts } = forest;
  const asked = [...new Set(features.filter((_, node) => lefts[node] !== 0))].sort((a, b) => a - b);
  const bytes = new Uint8Array(roots.length + PACKED_NODE_BYTES * values.length);
  const view = new DataView(bytes.buffer);
  const put = (at: number, value: number) => {
    if (value > 255) throw new RangeError("A forest has a tree or features that are too many to be packed");
    bytes[at] = value;
  };
  for (const [tree, root] of roots.entries()) put(tree, (roots[tree + 1] ?? values.length) - root);
  for (let node = 0, at = roots.length; node < values.length; node++, at += PACKED_NODE_BYTES) {
    const left = lefts[node]!;
    put(at, left === 0 ? 0 : asked.indexOf(features[node]!));
    put(at + 1, left === 0 ? 0 : left - node);
    view.setFloat32(at + 2, values[node]!, true);
  }
  return {
    formatNumber: PACKED_FORMAT,
    learnedFrom,
    features: asked.map((feature) => featureNames[feature]!),
    treeCount: roots.length,
    nodes: Buffer.from(bytes).toString("base64"),
  };
}
