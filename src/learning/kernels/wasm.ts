/** The used part of a global that TypeScript's own types lack. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

export interface KernelMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const PAGE = 65_536;

const modules = new Map<string, object>();

function moduleOf(compiled: string): object {
  const known = modules.get(compiled);
  if (known !== undefined) return known;
  const made = new WebAssembly.Module(Buffer.from(compiled, "base64"));
  modules.set(compiled, made);
  return made;
}

/** An instance of a compiled kernel, whose functions and `memory` are those of `K`. */
export function instantiate<K extends { readonly memory: KernelMemory }>(
  compiled: string,
  isKernel: (exports: object) => exports is K,
): K {
  const { exports } = new WebAssembly.Instance(moduleOf(compiled));
  if (!isKernel(exports)) throw new TypeError("A compiled kernel does not have what its source has");
  return exports;
}

/** Makes a memory so many bytes long at least; views of it that were made before are empty then. */
export function reserve(memory: KernelMemory, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}
