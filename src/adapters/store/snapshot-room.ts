/** Memory for the bytes of a snapshot; what is in it is undefined. */
export type SnapshotRoom = (length: number) => Buffer;

/** Bytes that the collector is not told of, at least and in lengths of what is asked for. */
const UNCOUNTED = 2 ** 28;
const UNCOUNTED_LENGTHS = 3;
/** How long memory that came back waits for the next snapshot. */
const SPARE_MS = 60_000;

/**
 * V8 counts the bytes of an `ArrayBuffer` with its heap. When they are 64 MiB more than after the last major collection it
 * begins another one, and until that ends whoever makes a buffer, however small, has to mark for 5 to 10 ms first: to load
 * a model stopped the event loop for 20 to 40 ms at a time. The bytes of a `SharedArrayBuffer` are not counted. They come
 * back with the next collection that there is for another reason; when none has come for long, memory is counted again.
 *
 * What came back is used again while models change one after the other: to give 90 MB back to the system takes a
 * thread of the collector some 10 ms and more, for which the event loop waits as soon as it asks the system for memory.
 */
export function createSnapshotRoom(): SnapshotRoom {
  /** Handed out since the collector last took any back. */
  let uncounted = 0;
  let spare: SharedArrayBuffer | undefined;
  let timer: NodeJS.Timeout | undefined;
  const cameBack = new FinalizationRegistry<SharedArrayBuffer>((memory) => {
    uncounted = 0;
    spare = memory;
    clearTimeout(timer);
    timer = setTimeout(() => {
      spare = undefined;
    }, SPARE_MS).unref();
  });

  const takeSpare = (length: number): SharedArrayBuffer | undefined => {
    if (spare === undefined || spare.byteLength < length || spare.byteLength > 2 * length) return undefined;
    const memory = spare;
    spare = undefined;
    return memory;
  };

  return (length) => {
    let memory = takeSpare(length);
    if (memory === undefined) {
      if (uncounted + length > Math.max(UNCOUNTED, UNCOUNTED_LENGTHS * length)) return Buffer.allocUnsafeSlow(length);
      uncounted += length;
      memory = new SharedArrayBuffer(length);
    }
    const lent = structuredClone(memory); // the same memory, as an object of which it is known when nobody has it any more
    cameBack.register(lent, memory);
    return Buffer.from(lent, 0, length);
  };
}
