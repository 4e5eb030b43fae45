import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { backoffMs } from "./defaults.js";

/** The longest pause between two connections. */
const LONGEST_MS = 10_000;

/**
 * The messages of a stream that is opened again when the server goes away, after the last message received:
 *
 *     for await (const { events } of watch(aisle.events.watchEvents, { appId })) …
 *
 * Leaving the loop ends the call, and so does the signal of `options`; throws what is no lost connection.
 */
export async function* watch<
  Request extends { resumeToken?: string },
  Response extends { readonly resumeToken: string },
>(
  open: (request: Request, options?: CallOptions) => AsyncIterable<Response>,
  request: Request,
  options: CallOptions = {},
): AsyncGenerator<Response, void, undefined> {
  let resumeToken = request.resumeToken ?? "";
  for (let attempt = 1; ; attempt++) {
    // Leaving the loop over a stream of Connect does not end its call.
    const left = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
    try {
      for await (const message of open({ ...request, resumeToken }, { ...options, signal })) {
        resumeToken = message.resumeToken || resumeToken;
        attempt = 1;
        yield message;
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      if (ConnectError.from(error).code !== Code.Unavailable) throw error;
    } finally {
      left.abort();
    }
    await new Promise((done) => setTimeout(done, backoffMs(attempt, LONGEST_MS)));
    if (options.signal?.aborted) return;
  }
}
