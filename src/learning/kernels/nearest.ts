/** The compiled kernel that multiplies queries with many vectors (`assembly/nearest.ts`), in memory that a thread shares. */
import { COMPILED } from "../../gen/kernels/nearest.js";
import { instantiate, type KernelMemory, reserve } from "./wasm.js";

/** Bytes of vectors that are in the kernel's memory at a time: they stay near the processor while all queries come by. */
const AT_ONCE = 65_536;

interface Kernel {
  readonly memory: KernelMemory;
  dotProducts(vectors: number, count: number, query: number, length: number, products: number): void;
}

const isKernel = (exports: object): exports is Kernel => "memory" in exports && "dotProducts" in exports;

let kernel: Kernel | undefined;

/**
 * Dot products of each query with all vectors, a block of vectors at a time. `take` gets the query's number, the number of the
 * block's first vector, and the dot products; the next block overwrites them. Sums have 32 bits.
 *
 * @param vectors One after the other, `dimensions` numbers each.
 * @param queries `dimensions` numbers each.
 */
export function dotProducts(
  vectors: Float32Array,
  dimensions: number,
  queries: readonly Float32Array[],
  take: (query: number, from: number, products: Float32Array) => void,
): void {
  if (dimensions === 0) return;
  kernel ??= instantiate(COMPILED, isKernel);
  const count = vectors.length / dimensions;
  const length = 4 * dimensions;
  const block = 4 * Math.max(1, Math.floor(AT_ONCE / length / 4));
  // Vectors, the query, products.
  const queryAt = 16 * Math.ceil((block * length) / 16);
  const productsAt = 16 * Math.ceil((queryAt + length) / 16);
  reserve(kernel.memory, productsAt + 4 * block);
  const { buffer } = kernel.memory;
  const present = new Float32Array(buffer, 0, block * dimensions);
  const query = new Float32Array(buffer, queryAt, dimensions);
  for (let from = 0; from < count; from += block) {
    const to = Math.min(count, from + block);
    present.set(vectors.subarray(from * dimensions, to * dimensions));
    const products = new Float32Array(buffer, productsAt, to - from);
    for (const [q, values] of queries.entries()) {
      query.set(values);
      kernel.dotProducts(0, to - from, queryAt, length, productsAt);
      take(q, from, products);
    }
  }
}
