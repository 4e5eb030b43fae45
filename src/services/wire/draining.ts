import { createContextKey } from "@connectrpc/connect";

/** Fires when the server begins to stop: a stream that nothing else ends must end then. */
export const DRAINING = createContextKey<AbortSignal>(new AbortController().signal, { description: "draining" });
