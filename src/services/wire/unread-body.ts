import type { ServerHttp2Stream } from "node:http2";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Interval at which the answer's progress in nghttp2 is checked, ms. */
const LOOK_EVERY_MS = 5;

/**
 * Disconnects a caller that keeps sending its body long after the answer was complete. Over HTTP/1.1 an abandoned body
 * is no longer read, so neither its end nor that of the connection would be noticed.
 */
export function lingerBriefly(request: NodeRequest, response: NodeResponse, ms: number): void {
  // An HTTP/2 response emits `finish` only when its stream is closed.
  if ("stream" in request) {
    lingerOnStream(request.stream, ms);
    return;
  }
  const { socket } = request; // Node removes it from the request with the answer
  response.once("finish", () => {
    if (request.complete) return;
    // An HTTP/1.1 connection may have many such calls in turn: one listener serves them all.
    setTimeout(() => {
      if (!request.complete) socket.destroy();
    }, ms).unref();
  });
}

/**
 * Resets a stream whose answer was sent (RFC 9113, 8.1): grpc-go drops the bytes it has not sent yet and leaves the stream
 * half open, where it would take a slot of the connection.
 * Node reports `finish` when it has taken the answer. While the socket is full or the process is busy, the trailers still
 * wait in nghttp2, and a reset would discard them: the client would see INTERNAL instead of its status.
 */
export function lingerOnStream(stream: ServerHttp2Stream, ms: number): void {
  stream.once("finish", () => {
    if (stream.readableEnded || stream.endAfterHeaders || stream.destroyed) return;
    discardRest(stream);
    const giveUpAt = performance.now() + ms;
    const reset = () => {
      if (stream.state.localClose === 1 || performance.now() >= giveUpAt) stream.destroy();
      else timer.refresh();
    };
    const timer = setTimeout(reset, Math.min(ms, LOOK_EVERY_MS)).unref();
    stream.once("close", () => clearTimeout(timer));
  });
}

/**
 * Reads the rest of the body. grpc-go resets a stream with NO_ERROR when it is refused in the middle of a message. Node
 * closes such a stream only after all its bytes were read; until then it takes a slot of the connection.
 */
function discardRest(stream: ServerHttp2Stream): void {
  stream.removeAllListeners("readable");
  stream.resume();
}
