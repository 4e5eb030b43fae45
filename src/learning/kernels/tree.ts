/** The compiled kernel that boosts regression trees (`assembly/tree.ts`). Each set of rows has an instance of its own. */
import { COMPILED } from "../../gen/kernels/tree.js";
import { instantiate, type KernelMemory } from "./wasm.js";

/** Addresses, and lengths of sums, are bytes of `memory`. */
export interface TreeKernel {
  readonly memory: KernelMemory;
  begin(): number;
  choose(
    pairs: number,
    count: number,
    threshold: number,
    share: number,
    raise: number,
    seed: number,
    chosen: number,
  ): number;
  addRows(
    rows: number,
    count: number,
    cells: number,
    width: number,
    pairs: number,
    asked: number,
    askedCount: number,
    sums: number,
  ): void;
  clear(sums: number, length: number): void;
  subtract(sums: number, others: number, length: number): void;
  total(from: number, end: number, to: number): void;
  bestSplit(
    sums: number,
    whole: number,
    asked: number,
    askedCount: number,
    l2: number,
    minHessian: number,
    minGain: number,
    found: number,
  ): number;
  partition(rows: number, count: number, cells: number, width: number, bin: number, aside: number): number;
  addTree(tree: number, cells: number, width: number, count: number, scores: number): void;
  softmax(
    scores: number,
    offsets: number,
    groups: number,
    answers: number,
    groupCount: number,
    focus: number,
    parts: number,
    pairs: number,
  ): number;
}

const FUNCTIONS = [
  ...["begin", "choose", "addRows", "clear", "subtract", "total", "bestSplit", "partition", "addTree"],
  "softmax",
] as const satisfies readonly (keyof TreeKernel)[];

const isKernel = (exports: object): exports is TreeKernel =>
  "memory" in exports && FUNCTIONS.every((name) => name in exports);

export const createTreeKernel = (): TreeKernel => instantiate(COMPILED, isKernel);
