import type { Compression } from "@connectrpc/connect/protocol";

/**
 * The same compressions, but one message is decompressed at a time. Each may grow to its limit of bytes, and the threads that
 * decompress take processor time from the one that answers everybody.
 */
export function inTurn(compressions: readonly Compression[]): Compression[] {
  let last: Promise<unknown> = Promise.resolve();
  return compressions.map((compression) => ({
    ...compression,
    decompress(bytes, readMaxBytes) {
      const result = last.then(() => compression.decompress(bytes, readMaxBytes));
      last = result.catch(() => undefined); // its caller is told
      return result;
    },
  }));
}
