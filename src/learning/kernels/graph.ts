/** The compiled kernel that searches and builds an HNSW graph (`assembly/graph.ts`). Each graph has an instance of its own. */
import { COMPILED } from "../../gen/kernels/graph.js";
import { instantiate, type KernelMemory } from "./wasm.js";

/** Addresses are bytes of `memory`. */
export interface GraphKernel {
  readonly memory: KernelMemory;
  take(vectors: number, dimensions: number, links: number, records: number, end: number): number;
  search(query: number, entry: number, topLevel: number, width: number): number;
  add(id: number, level: number, entry: number, topLevel: number, width: number): void;
}

/** Marks vectors of the pool; the rest of the number is the vector's. */
export const FOLLOWED = 0x8000_0000;

const isKernel = (exports: object): exports is GraphKernel =>
  "memory" in exports && "take" in exports && "search" in exports && "add" in exports;

export const createGraphKernel = (): GraphKernel => instantiate(COMPILED, isKernel);
