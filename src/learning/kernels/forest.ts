/**
 * The compiled kernel that scores rows by a forest (`assembly/forest.ts`), and its memory. One instance serves a thread:
 * what it reads lies in its memory as long as the same forest is asked, and is copied there, some 0.01 ms, when another one is.
 */
import { COMPILED } from "../../gen/kernels/forest.js";
import { instantiate, type KernelMemory, reserve } from "./wasm.js";

/** A forest as the kernel reads it. */
export interface KernelForest {
  readonly featureCount: number;
  readonly treeCount: number;
  /** Twelve bytes each: the feature, the limit, the leaves to the left as bits. */
  readonly nodes: Uint8Array;
  /** The first node of each tree, and behind the last one how many there are. */
  readonly starts: Uint32Array;
  /** `KERNEL_LEAVES` a tree, from left to right. */
  readonly leaves: Float32Array;
}

/** Leaves a tree can have. */
export const KERNEL_LEAVES = 32;
/** Rows scored by one call. */
const MOST_ROWS = 256;

interface Kernel {
  readonly memory: KernelMemory;
  toColumns(from: number, count: number, features: number, to: number, stride: number): void;
  addScores(
    nodes: number,
    starts: number,
    trees: number,
    leaves: number,
    columns: number,
    stride: number,
    scores: number,
  ): void;
}

const isKernel = (exports: object): exports is Kernel =>
  "memory" in exports && "toColumns" in exports && "addScores" in exports;

let kernel: Kernel | undefined;
/** The forest in its memory. */
let present: KernelForest | undefined;

/** Where the parts of a forest lie in the memory, and the space for rows behind them. */
function layOut({ featureCount, nodes, starts, leaves }: KernelForest) {
  const startsAt = nodes.byteLength;
  const leavesAt = startsAt + starts.byteLength;
  const scoresAt = Math.ceil((leavesAt + leaves.byteLength) / 64) * 64;
  const columnsAt = scoresAt + 8 * MOST_ROWS;
  const rowsAt = columnsAt + 4 * MOST_ROWS * featureCount;
  return { startsAt, leavesAt, scoresAt, columnsAt, rowsAt, end: rowsAt + 4 * MOST_ROWS * featureCount };
}

/** Adds the scores of `count` rows, which lie one after the other at the front of `rows`, to `scores`. */
export function addForestScores(forest: KernelForest, rows: Float32Array, count: number, scores: Float64Array): void {
  kernel ??= instantiate(COMPILED, isKernel);
  const { startsAt, leavesAt, scoresAt, columnsAt, rowsAt, end } = layOut(forest);
  const { featureCount, treeCount } = forest;
  const { memory } = kernel;
  if (present !== forest) {
    reserve(memory, end);
    new Uint8Array(memory.buffer).set(forest.nodes);
    new Uint32Array(memory.buffer, startsAt).set(forest.starts);
    new Float32Array(memory.buffer, leavesAt).set(forest.leaves);
    present = forest;
  }
  for (let from = 0; from < count; from += MOST_ROWS) {
    const some = Math.min(MOST_ROWS, count - from);
    // Sixteen rows are scored together: behind the last one there is something, whose score nobody reads.
    const stride = 64 * Math.ceil(some / 16);
    const kept = new Float64Array(memory.buffer, scoresAt, some);
    kept.set(scores.subarray(from, from + some));
    new Float32Array(memory.buffer, rowsAt).set(rows.subarray(from * featureCount, (from + some) * featureCount));
    kernel.toColumns(rowsAt, some, featureCount, columnsAt, stride);
    kernel.addScores(0, startsAt, treeCount, leavesAt, columnsAt, stride, scoresAt);
    scores.set(kept, from);
  }
}
