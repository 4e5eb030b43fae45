/** Answers the requests of the RPC port: RPCs, the console, and plain endpoints such as /metrics. */
import { constants } from "node:http2";
import { Code } from "@connectrpc/connect";
import { type ConsolePages, createConsole } from "./console.js";
import { refusal } from "./error-info.js";
import type { createGracefulClose } from "./graceful-close.js";
import { createHostCheck } from "./host-check.js";
import { createHttpEndpoints, type MetricsText, refuseRequest } from "./http-endpoints.js";
import type { ListenerLimits } from "./protocol-servers.js";
import { ANSWER_HEADERS, hostOf, isFromOtherOrigin } from "./request-origin.js";
import type { NodeRequest, NodeResponse, RpcHandler } from "./rpc-handler.js";
import { lingerBriefly } from "./unread-body.js";

export interface AnswerDeps {
  /** Address of the listener, for example `127.0.0.1`. */
  host: string;
  /** Further allowed host names of a request. */
  allowedHosts?: readonly string[];
  metrics?: MetricsText;
  /** The content of `/console/`; without it there is no console. */
  console?: ConsolePages | undefined;
  /** Called with failures behind an answer. `call` is the path of the RPC, or `""`. */
  onError?: (error: unknown, call: string) => void;
}

export type Answer = (request: NodeRequest, response: NodeResponse) => void;

/** Answers a request for one of the hosts of this listener: an RPC, the console, or a plain endpoint. */
export function createAnswer(
  deps: AnswerDeps,
  limits: ListenerLimits,
  rpc: RpcHandler,
  farewell: ReturnType<typeof createGracefulClose>,
  closeIdle: () => void,
): Answer {
  const hostAllowed = createHostCheck(deps.host, deps.allowedHosts ?? []);
  const plain = createHttpEndpoints({ metrics: deps.metrics, onError: (error) => deps.onError?.(error, "") });
  const console = deps.console === undefined ? () => false : createConsole(deps.console);
  return (request, response) => {
    farewell.took(response);
    response.once("close", () => closeIdle());
    lingerBriefly(request, response, limits.lingerMs);
    endWhenStalled(response, limits.stallMs);
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
    const host = hostOf(request);
    if (host === undefined) {
      refuseRequest(request, response, 400, twoHosts());
    } else if (!hostAllowed(host)) {
      refuseRequest(request, response, 403, otherHost());
    } else if (isFromOtherOrigin(request, host)) {
      refuseRequest(request, response, 403, otherOrigin());
    } else if (!rpc.handle(request, response) && !console(request, response)) {
      plain(request, response);
    }
  };
}

function twoHosts() {
  return refusal("The request names two hosts", Code.InvalidArgument, "MALFORMED_CALL");
}

function otherHost() {
  return refusal("Host is not one this listener answers for", Code.PermissionDenied, "HOST_NOT_ALLOWED");
}

function otherOrigin() {
  return refusal("Pages of other origins may not call this port", Code.PermissionDenied, "ORIGIN_NOT_ALLOWED");
}

/**
 * Disconnects a caller that does not read its answer (HTTP/2: opens no window for it), which would otherwise stay in
 * memory for as long as the caller likes. Silence without data to send is no stall: calls take their time, and streams
 * wait for news.
 */
function endWhenStalled(response: NodeResponse, ms: number): void {
  if ("stream" in response) {
    const { stream } = response;
    stream.setTimeout(ms, () => {
      if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
    });
  } else {
    response.setTimeout(ms, () => {
      const { socket } = response;
      if (socket !== null && socket.writableLength > 0) socket.destroy();
    });
  }
}
