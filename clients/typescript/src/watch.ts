import { Code, ConnectError } from "@connectrpc/connect";
import { backoffMs } from "./defaults.js";

/** The longest pause between two connections. */
const LONGEST_MS = 10_000;

/**
 * The messages of a stream that is opened again when the server goes away, after the last message received:
 *
 *     watch((token) => aisle.events.watchEvents({ appId, resumeToken: token }, { signal }), (m) => m.resumeToken)
 *
 * Ends when the signal of `open` is aborted; throws what is no lost connection.
 */
export async function* watch<Message>(
  open: (token: string) => AsyncIterable<Message>,
  tokenOf: (message: Message) => string,
  token = "",
): AsyncGenerator<Message, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const message of open(token)) {
        token = tokenOf(message) || token;
        attempt = 1;
        yield message;
      }
    } catch (error) {
      const { code } = ConnectError.from(error);
      if (code === Code.Canceled) return;
      if (code !== Code.Unavailable) throw error;
    }
    await new Promise((done) => setTimeout(done, backoffMs(attempt, LONGEST_MS)));
  }
}
