import type { Http2Session } from "node:http2";
import type { NodeResponse } from "./rpc-handler.js";

/** Sends callers elsewhere with their next calls, while the calls they have begun are answered. */
export interface GracefulClose {
  /** An answer begins. */
  took(response: NodeResponse): void;
  /** From now on: these sessions take no more streams, and each answer over HTTP/1.1 says that it is the last. */
  say(sessions: Iterable<Http2Session>): void;
}

export function createGracefulClose(): GracefulClose {
  const unanswered = new Set<NodeResponse>();
  let isSaid = false;
  const close = (response: NodeResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close");
  };
  return {
    took(response) {
      if ("stream" in response) return;
      if (isSaid) return close(response);
      unanswered.add(response);
      response.once("close", () => unanswered.delete(response));
    },
    say(sessions) {
      isSaid = true;
      // GOAWAY names the last stream that was taken, so that callers know which they may send again. The one that
      // refuses nothing yet (RFC 9113, 6.8) is not to be had: after it nghttp2 leaves streams without any answer.
      for (const session of sessions) session.close();
      for (const response of unanswered) close(response);
    },
  };
}
