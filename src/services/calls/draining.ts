import { createContextKey, type HandlerContext } from "@connectrpc/connect";

/** Fires when the server begins to stop: a stream that nothing else ends must end then. */
export const DRAINING = createContextKey<AbortSignal>(new AbortController().signal, { description: "draining" });

/** Fires when the caller leaves or the server begins to stop. Its reason is the error that a watch then ends with. */
export function endOfWatch({ signal, values }: Pick<HandlerContext, "signal" | "values">): AbortSignal {
  return AbortSignal.any([signal, values.get(DRAINING)]);
}
