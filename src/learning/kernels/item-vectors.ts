/** The compiled kernel that learns vectors of products (`assembly/item-vectors.ts`). Each learning has an instance of its own. */
import { COMPILED } from "../../gen/kernels/item-vectors.js";
import { instantiate, type KernelMemory, reserve } from "./wasm.js";

interface Kernel {
  readonly memory: KernelMemory;
  layOut(products: number, dimensions: number, questions: number, drawn: number, steps: number, seed: number): number;
  learn(rate: number, temperature: number, dropped: number): number;
}

const isKernel = (exports: object): exports is Kernel =>
  "memory" in exports && "layOut" in exports && "learn" in exports;

export interface VectorKernelShape {
  readonly products: number;
  /** A multiple of 8. */
  readonly dimensions: number;
  /** Questions of a batch, a multiple of 4, and products drawn for it, another. */
  readonly batch: number;
  readonly drawn: number;
  /** Newest steps of a visit that are read. */
  readonly steps: number;
}

/** What the kernel reads and writes, as views of its memory. */
export interface VectorKernel {
  /** By product `productWidth` numbers: the vector, its moments, the logarithm of what a step counts, its moments. */
  readonly products: Float32Array;
  readonly productWidth: number;
  /** By product: the logarithm of how often a batch is expected to draw it. */
  readonly expected: Float32Array;
  /** By steps from the newest one three numbers: the logarithm of what it counts, its moments. */
  readonly places: Float32Array;
  /** Of the batch: the drawn products, and for each question what came next, how many steps there are, these, newest first. */
  readonly drawn: Uint32Array;
  readonly questions: Uint32Array;
  /** Moves the vectors by a batch; returns the mean probability of what came next. Of 256 numbers of a step `dropped` are left out by chance. */
  learn(rate: number, temperature: number, dropped: number): number;
}

export function createVectorKernel(shape: VectorKernelShape, seed: number): VectorKernel {
  const { products, dimensions, batch, drawn, steps } = shape;
  const kernel = instantiate(COMPILED, isKernel);
  reserve(kernel.memory, kernel.layOut(products, dimensions, batch, drawn, steps, seed));
  const { buffer } = kernel.memory;
  const productWidth = 3 * dimensions + 4;
  // Parts begin at multiples of 16.
  let end = 0;
  const place = (length: number) => {
    const at = end;
    end = 16 * Math.ceil((end + 4 * length) / 16);
    return [buffer, at, length] as const;
  };
  return {
    products: new Float32Array(...place(products * productWidth)),
    productWidth,
    expected: new Float32Array(...place(products)),
    places: new Float32Array(...place(3 * steps)),
    drawn: new Uint32Array(...place(drawn)),
    questions: new Uint32Array(...place(batch * (steps + 2))),
    learn: (rate, temperature, dropped) => kernel.learn(rate, temperature, dropped),
  };
}
