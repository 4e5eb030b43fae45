import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { createConcurrencyLimit } from "../../http/concurrency-limit.js";
import { refusal } from "../errors/error-info.js";

/** Node runs as many at a time; more would only hold memory. */
const AT_A_TIME = 4;

/**
 * The same compressions, but with so many messages decompressed at a time: each may grow to its limit of bytes. Connect
 * takes a truncated message for a fault of the server; it is the caller's.
 */
export function fewAtATime(compressions: readonly Compression[]): Compression[] {
  const limited = createConcurrencyLimit(AT_A_TIME);
  return compressions.map((compression) => ({
    ...compression,
    async decompress(bytes, readMaxBytes) {
      try {
        return await limited(() => compression.decompress(bytes, readMaxBytes));
      } catch (error) {
        if (error instanceof ConnectError && error.code === Code.ResourceExhausted) throw error;
        const text = `The message cannot be decompressed: it is truncated or not ${compression.name}`;
        throw refusal(text, Code.InvalidArgument, "MALFORMED_CALL");
      }
    },
  }));
}
