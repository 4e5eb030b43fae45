/** Binned rows in the memory of a compiled kernel, with their scores and all that growing a tree on them needs. */
import { createTreeKernel, type TreeKernel } from "../../kernels/tree.js";
import { reserve } from "../../kernels/wasm.js";
import type { FeatureBins } from "./bins.js";
import type { RankedGroups } from "./listwise.js";
import type { Tree } from "./tree.js";

/** A pair of sums, and the smallest unit of the layout. */
export const PAIR_BYTES = 16;
const NODE_BYTES = 24;
/** Numbers that say where the sums of a feature lie. */
export const ASKED_NUMBERS = 3;

type Layout = ReturnType<typeof layOut>;

export interface KernelRows {
  readonly kernel: TreeKernel;
  readonly at: Layout;
  readonly featureCount: number;
  /** By row. */
  readonly scores: Float32Array<ArrayBuffer>;
  /** Gradient and second derivative of each row. Empty when no tree is grown on these rows. */
  readonly pairs: Float32Array;
  /** The rows that a tree is grown on, at the front. Growing it changes their order. */
  readonly chosen: Uint32Array;
}

/**
 * Copies the rows. With room to grow trees it takes 24 bytes for each row beside its bins, and 4 KiB a feature and leaf;
 * else 8 bytes a row.
 */
export function createKernelRows(
  { binned, groups, answers, offsets }: RankedGroups,
  bins: FeatureBins,
  leaves: number,
  grows: boolean,
): KernelRows {
  const kernel = createTreeKernel();
  const { featureCount } = bins;
  const count = binned.length / featureCount;
  const largest = answers.reduce((most, _, group) => Math.max(most, groups[group + 1]! - groups[group]!), 0);
  const sums = bins.offsets[featureCount]! + featureCount;
  const at = layOut(kernel.begin(), { count, featureCount, groupCount: answers.length, largest, leaves, sums, grows });
  reserve(kernel.memory, at.end);
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, at.cells).set(binned);
  new Uint32Array(buffer, at.groups).set(groups);
  new Uint32Array(buffer, at.answers).set(answers);
  if (offsets) new Float32Array(buffer, at.offsets).set(offsets);
  const grown = grows ? count : 0;
  return {
    kernel,
    at,
    featureCount,
    scores: new Float32Array(buffer, at.scores, count),
    pairs: new Float32Array(buffer, at.pairs, 2 * grown),
    chosen: new Uint32Array(buffer, at.chosen, grown),
  };
}

/** Where the parts of the memory begin. */
function layOut(
  begin: number,
  size: {
    readonly count: number;
    readonly featureCount: number;
    readonly groupCount: number;
    readonly largest: number;
    readonly leaves: number;
    readonly sums: number;
    readonly grows: boolean;
  },
) {
  const { count, featureCount, groupCount, largest, leaves, sums, grows } = size;
  const grown = grows ? count : 0;
  let end = PAIR_BYTES * Math.ceil(begin / PAIR_BYTES);
  const part = (bytes: number) => {
    const from = end;
    end += PAIR_BYTES * Math.ceil(bytes / PAIR_BYTES);
    return from;
  };
  return {
    cells: part(count * featureCount),
    scores: part(4 * count),
    offsets: part(4 * count),
    groups: part(4 * (groupCount + 1)),
    answers: part(4 * groupCount),
    parts: part(4 * largest),
    tree: part(NODE_BYTES * (2 * leaves - 1)),
    pairs: part(8 * grown),
    chosen: part(4 * grown),
    aside: part(4 * grown),
    asked: part(4 * ASKED_NUMBERS * featureCount),
    whole: part(PAIR_BYTES),
    found: part(PAIR_BYTES),
    sums: part(grows ? PAIR_BYTES * leaves * sums : 0),
    end,
  };
}

/** The mean loss of the groups by their scores. Fills the rows' pairs when trees are grown on them. */
export function softmaxLoss({ kernel, at, pairs }: KernelRows, groupCount: number, focus: number): number {
  const to = pairs.length === 0 ? 0 : at.pairs;
  const sum = kernel.softmax(at.scores, at.offsets, at.groups, at.answers, groupCount, focus, at.parts, to);
  return sum / Math.max(1, groupCount);
}

/** Adds what a tree says of each row, times `rate`, to its score. */
export function addTree({ kernel, at, featureCount, scores }: KernelRows, tree: Tree, rate: number): void {
  const nodes = new DataView(kernel.memory.buffer, at.tree);
  for (let node = 0; node < tree.lefts.length; node++) {
    const to = NODE_BYTES * node;
    nodes.setUint32(to, tree.features[node]!, true);
    nodes.setUint32(to + 4, tree.splitBins[node]!, true);
    nodes.setUint32(to + 8, NODE_BYTES * tree.lefts[node]!, true);
    nodes.setFloat64(to + 16, rate * tree.values[node]!, true);
  }
  kernel.addTree(at.tree, at.cells, featureCount, scores.length, at.scores);
}
