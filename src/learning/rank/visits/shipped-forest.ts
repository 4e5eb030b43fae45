/**
 * The forest that is part of the program, learned from simulated shops by `npm run born-trained`. It is packed into text
 * and numbers, 6 bytes for each node in base64, and names the features that its trees ask, so that it can be read beside
 * other features.
 */
import type { Forest } from "../trees/forest.js";
import { FEATURES } from "./feature-names.js";
import { SHIPPED_FOREST } from "./shipped-forest-asset.js";

export interface PackedForest {
  readonly formatNumber: number;
  /** What it was learned from, for people. */
  readonly learnedFrom: string;
  /** Names of the features by their number in the nodes. */
  readonly features: readonly string[];
  readonly treeCount: number;
  /** In base64: the number of nodes of each tree in a byte, then the nodes. */
  readonly nodes: string;
}

export const PACKED_FORMAT = 1;
/** Of a node: the feature, the distance to the left node (0 in a leaf), the value. */
export const PACKED_NODE_BYTES = 6;

/** Undefined when it asks for a feature that is no longer made: a test fails then, and the command learns it again. */
export function shippedForest(): Forest | undefined {
  return unpackForest(SHIPPED_FOREST, FEATURES);
}

/** The forest over these features; undefined when it is of another format, or asks a feature that is not among them. */
export function unpackForest(packed: PackedForest, featureNames: readonly string[]): Forest | undefined {
  const numbers = packed.features.map((name) => featureNames.indexOf(name));
  if (packed.formatNumber !== PACKED_FORMAT || numbers.includes(-1)) return undefined;
  const bytes = Buffer.from(packed.nodes, "base64");
  const { treeCount } = packed;
  const nodes = (bytes.length - treeCount) / PACKED_NODE_BYTES;
  const forest = {
    featureCount: featureNames.length,
    roots: new Uint32Array(treeCount),
    features: new Uint32Array(nodes),
    values: new Float32Array(nodes),
    lefts: new Uint32Array(nodes),
  };
  for (let tree = 1; tree < treeCount; tree++) forest.roots[tree] = forest.roots[tree - 1]! + bytes[tree - 1]!;
  for (let node = 0, at = treeCount; node < nodes; node++, at += PACKED_NODE_BYTES) {
    const toLeft = bytes[at + 1]!;
    forest.features[node] = toLeft === 0 ? 0 : numbers[bytes[at]!]!;
    forest.lefts[node] = toLeft === 0 ? 0 : node + toLeft;
    forest.values[node] = bytes.readFloatLE(at + 2);
  }
  return forest;
}
