/** Memory for the bytes of a snapshot. */
export type SnapshotRoom = (length: number) => Buffer;

/** Bytes that the collector is not told of, at least and in lengths of what is asked for. */
const UNCOUNTED = 2 ** 28;
const UNCOUNTED_LENGTHS = 3;

/**
 * V8 counts the bytes of an `ArrayBuffer` with its heap. When they are 64 MiB more than after the last major collection it
 * begins another one, and until that ends whoever makes a buffer, however small, has to mark for 5 to 10 ms first: to load
 * a model stopped the event loop for 20 to 40 ms at a time. The bytes of a `SharedArrayBuffer` are not counted. They are
 * given back with the next collection that comes by itself; when none does, memory is counted again.
 */
export function createSnapshotRoom(): SnapshotRoom {
  /** Handed out since the collector last took any back. */
  let uncounted = 0;
  const collected = new FinalizationRegistry<undefined>(() => {
    uncounted = 0;
  });
  return (length) => {
    if (uncounted + length > Math.max(UNCOUNTED, UNCOUNTED_LENGTHS * length)) return Buffer.allocUnsafeSlow(length);
    const shared = new SharedArrayBuffer(length);
    collected.register(shared, undefined);
    uncounted += length;
    return Buffer.from(shared);
  };
}
