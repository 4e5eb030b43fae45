import type { Http2Session } from "node:http2";
import type { NodeResponse } from "./rpc-handler.js";

/** Sends the next calls of callers elsewhere, and answers the calls under way. */
export interface GracefulClose {
  /** An answer begins. */
  took(response: NodeResponse): void;
  /** From now on these sessions accept no streams, and each answer over HTTP/1.1 is the last of its connection. */
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
      // GOAWAY names the last accepted stream, so that callers know which calls to retry. The GOAWAY that refuses
      // nothing yet (RFC 9113, 6.8) cannot be used: after it nghttp2 leaves streams without any answer.
      for (const session of sessions) session.close();
      for (const response of unanswered) close(response);
    },
  };
}
