import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Metrics } from "../../adapters/metrics.js";
import { methodName } from "./rpc-methods.js";

/**
 * Counts every RPC at its end by method and code, and its duration by method. `now` is in ms and never goes back. A
 * stream ends with its last message; a disconnected caller counts as canceled.
 */
export function createCallMetrics(deps: { metrics: Metrics; now: () => number }): Interceptor {
  return (next) => async (request) => {
    const startedAt = deps.now();
    const method = methodName(request.method);
    const ended = (code: string) => {
      deps.metrics.count("rpc_calls", { method, code });
      deps.metrics.observe("rpc_call_ms", deps.now() - startedAt, { method });
    };
    try {
      const answer = await next(request);
      if (answer.stream) return { ...answer, message: endReported(answer.message, ended) };
      ended("ok");
      return answer;
    } catch (error) {
      ended(codeName(error));
      throw error;
    }
  };
}

/** The messages of a stream. `ended` gets the code of its end once: `ok`, an error's, or `canceled` by the reader. */
export async function* endReported<T>(
  messages: AsyncIterable<T>,
  ended: (code: string) => void,
): AsyncGenerator<T, void, undefined> {
  let code = "canceled";
  try {
    yield* messages;
    code = "ok";
  } catch (error) {
    code = codeName(error);
    throw error;
  } finally {
    ended(code);
  }
}

/** The code's name as Connect writes it, for example `not_found`. Any other error counts as internal. */
export function codeName(error: unknown): string {
  const code = error instanceof ConnectError ? error.code : Code.Internal;
  return Code[code].replace(/[a-z](?=[A-Z])/g, "$&_").toLowerCase();
}
