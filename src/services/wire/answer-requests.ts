/** Answers the requests of the RPC port: RPCs, the console, and plain endpoints such as /metrics. */
import type { ServerResponse } from "node:http";
import { Code } from "@connectrpc/connect";
import { refusal } from "../errors/error-info.js";
import { type ConsolePages, createConsole } from "./console.js";
import { createHostCheck } from "./host-check.js";
import { createHttpEndpoints, type MetricsText, refuseRequest } from "./http-endpoints.js";
import type { StreamCall } from "./http2-server.js";
import type { ListenerLimits } from "./limits.js";
import { createPageCalls } from "./page-calls.js";
import { ANSWER_HEADERS, hostOf, isFromOtherOrigin } from "./request-origin.js";
import type { NodeRequest, NodeResponse, RpcHandler } from "./rpc-handler.js";
import { SHORT_CALLS } from "./short-calls/short-calls.js";
import { lingerBriefly } from "./unread-body.js";

export interface AnswerDeps {
  /** Address of the listener, for example `127.0.0.1`. */
  host: string;
  /** Further allowed host names of a request. */
  allowedHosts?: readonly string[];
  /** Origins of pages that may call RPCs; default: none. */
  pageOrigins?: readonly string[];
  metrics?: MetricsText;
  /** The content of `/console/`; without it there is no console. */
  console?: ConsolePages | undefined;
  /** Called with failures behind an answer. `call` is the path of the RPC, or `""`. */
  onError?: (error: unknown, call: string) => void;
}

export interface Answers {
  /** Answers a request for one of the hosts of this listener: an RPC, the console, or a plain endpoint. */
  request(request: NodeRequest, response: NodeResponse): void;
  /** The same for one over HTTP/2. */
  stream(call: StreamCall): void;
  /** From now on each answer over HTTP/1.1 is the last of its connection. */
  closeConnections(): void;
}

/** `onAnswered` is called at the end of each answer. */
export function createAnswers(
  deps: AnswerDeps,
  limits: ListenerLimits,
  rpc: RpcHandler,
  onAnswered: () => void,
): Answers {
  const pages = createPageCalls(deps.pageOrigins ?? []);
  const hostAllowed = createHostCheck(deps.host, deps.allowedHosts ?? []);
  const plain = createHttpEndpoints({ metrics: deps.metrics, onError: (error) => deps.onError?.(error, "") });
  const console = deps.console === undefined ? () => false : createConsole(deps.console);
  const underWay = new Set<ServerResponse>();
  let areLast = false;

  /** Bounds the time of the answer, and sets its headers. */
  const prepare = (request: NodeRequest, response: NodeResponse) => {
    response.once("close", () => onAnswered());
    lingerBriefly(request, response, limits.lingerMs);
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
    if ("stream" in response) return;
    endWhenStalled(response, limits.stallMs);
    if (areLast) closeAfter(response);
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
  };
  const answer = (request: NodeRequest, response: NodeResponse) => {
    prepare(request, response);
    const host = hostOf(request);
    if (host === undefined) {
      refuseRequest(request, response, 400, twoHosts());
    } else if (!hostAllowed(host)) {
      refuseRequest(request, response, 403, otherHost());
    } else if (rpc.knows(request) && pages.admit(request, response)) {
      if (!pages.answerPreflight(request, response)) rpc.handle(request, response);
    } else if (isFromOtherOrigin(request, host)) {
      refuseRequest(request, response, 403, otherOrigin());
    } else if (!rpc.handle(request, response) && !console(request, response)) {
      plain(request, response);
    }
  };
  return {
    request: answer,
    stream(call) {
      const { headers, rawHeaders } = call;
      // Node gives one `host` where several came.
      const host = headers.host === undefined ? headers[":authority"] : hostOf({ rawHeaders, httpVersionMajor: 2 });
      const isProgram = headers.origin === undefined && headers["sec-fetch-site"] === undefined;
      const prepared: StreamCall = {
        ...call,
        as: (then) =>
          call.as((request, response) => {
            prepare(request, response);
            then(request, response);
          }),
      };
      if (SHORT_CALLS && isProgram && host !== undefined && hostAllowed(host) && rpc.handleStream(prepared)) return;
      call.as(answer);
    },
    closeConnections() {
      areLast = true;
      for (const response of underWay) closeAfter(response);
    },
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

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Disconnects a caller that does not read its answer, which would otherwise stay in memory for as long as the caller likes.
 * Silence without data to send is no stall: calls take their time, and streams wait for news.
 */
function endWhenStalled(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, () => {
    const { socket } = response;
    if (socket !== null && socket.writableLength > 0) socket.destroy();
  });
}
