/**
 * Works around a behaviour of a dependency.
 *
 * - Dependency: V8, in Node 20 to 24. We know of no upstream report.
 * - Behaviour: V8 counts the bytes of an `ArrayBuffer` with its heap. Once they have grown by 64 MiB since the last major
 *   collection, it starts another one. Until that ends, every new buffer first marks for 5 to 10 ms.
 * - Without this file: loading a model stops the event loop for 20 to 40 ms at a time.
 * - Still needed? No test tells: `test/store/snapshot-buffers.test.ts` checks only this code. Return
 *   `Buffer.allocUnsafeSlow(length)` instead and compare the row "swapping models" of bench/measurements.md.
 */

/** Allocates uninitialised memory for the pieces of a snapshot. */
export type SnapshotBuffers = (lengths: readonly number[]) => readonly Buffer[];

/** Limit of bytes hidden from the collector: the greater of this many bytes and this many times the snapshot's length. */
const UNCOUNTED = 2 ** 28;
const UNCOUNTED_LENGTHS = 3;
/** How long freed memory is kept for the next snapshot. */
const SPARE_MS = 60_000;

/**
 * V8 does not count the bytes of a `SharedArrayBuffer`. The next collection, whatever starts it, frees them. When too many
 * bytes have been handed out since the last one, plain counted memory is allocated instead.
 *
 * Freed memory is reused while models change in quick succession. Returning 90 MB to the system takes a collector thread
 * 10 ms or more, and the event loop waits for it when it asks the system for memory.
 */
export function createSnapshotBuffers(): SnapshotBuffers {
  /** Bytes handed out since the collector last freed any. */
  let uncounted = 0;
  const spare = new Set<SharedArrayBuffer>();
  let timer: NodeJS.Timeout | undefined;
  const cameBack = new FinalizationRegistry<SharedArrayBuffer>((memory) => {
    uncounted = 0;
    spare.add(memory);
    clearTimeout(timer);
    timer = setTimeout(() => spare.clear(), SPARE_MS).unref();
  });

  const takeSpare = (length: number): SharedArrayBuffer | undefined => {
    for (const memory of spare) {
      if (memory.byteLength < length || memory.byteLength > 2 * length) continue;
      spare.delete(memory);
      return memory;
    }
    return undefined;
  };

  return (lengths) => {
    const most = Math.max(UNCOUNTED, UNCOUNTED_LENGTHS * lengths.reduce((sum, length) => sum + length, 0));
    return lengths.map((length) => {
      let memory = takeSpare(length);
      if (memory === undefined) {
        if (uncounted + length > most) return Buffer.allocUnsafeSlow(length);
        uncounted += length;
        memory = new SharedArrayBuffer(length);
      }
      const lent = structuredClone(memory); // the same memory in a new object, so that the registry sees when it is unused
      cameBack.register(lent, memory);
      return Buffer.from(lent, 0, length);
    });
  };
}
