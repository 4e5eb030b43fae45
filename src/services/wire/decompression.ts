import type { Compression } from "@connectrpc/connect/protocol";
import { createConcurrencyLimit } from "../../http/concurrency-limit.js";

/** Node runs as many at a time; more would only hold memory. */
const AT_A_TIME = 4;

/** The same compressions, but with so many messages decompressed at a time: each may grow to its limit of bytes. */
export function inTurn(compressions: readonly Compression[]): Compression[] {
  const limited = createConcurrencyLimit(AT_A_TIME);
  return compressions.map((compression) => ({
    ...compression,
    decompress: (bytes, readMaxBytes) => limited(() => compression.decompress(bytes, readMaxBytes)),
  }));
}
