import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createConnectRouter,
  createContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { CALLER, type Gate } from "../access/authorization.js";
import { DRAINING } from "../calls/draining.js";
import { unlessAborted } from "../calls/unless-aborted.js";
import { toConnectError } from "../errors/errors.js";
import { withNamedFields } from "../json/json-messages.js";
import { jsonNames } from "../json/json-names.js";
import { knownEnums } from "../json/known-enums.js";
import {
  ACCEPTED_COMPRESSIONS,
  compressionFault,
  compressionHeaders,
  isEnveloped,
  isWatch,
  uncompressed,
  withPlainHeaders,
} from "./call-format.js";
import { fewAtATime } from "./decompression.js";
import { refuseCall, withReasons } from "./error-answers.js";
import type { StreamCall } from "./http2-server.js";
import type { RpcLimits } from "./limits.js";
import { queryFault } from "./query-fault.js";
import { type BodyRules, chunksOf, type MessageMemory, readBody } from "./request-body.js";
import { createShortCalls } from "./short-calls/short-calls.js";
import type { InTurn } from "./turns.js";

/** A request of either server of a listener. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** Its response. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Dependencies of an RPC handler. */
export interface RpcHandlerDeps {
  routes: (router: ConnectRouter) => void;
  limits: RpcLimits;
  /** `limits.sharedBytes` of them. */
  shared: MessageMemory;
  interceptors: Interceptor[];
  /** Checked before a body is read. Without it everybody may call. */
  gate?: Gate | undefined;
  /** Aborting it aborts the signals of all calls. */
  shutdown: AbortSignal;
  /** Fires before, when no further call is accepted; see `DRAINING`. */
  draining: AbortSignal;
  /** Called with failures behind an answer: the answer could not be written, or a server error. */
  onError: (error: unknown, call: string) => void;
  inTurn: InTurn;
}

/** Answers RPCs in gRPC, gRPC-Web and Connect. Returns false, and does nothing, when the path is no RPC. */
export interface RpcHandler {
  /** The routed services. */
  readonly services: readonly DescService[];
  /** Whether the path is that of an RPC. */
  knows(request: NodeRequest): boolean;
  handle(request: NodeRequest, response: NodeResponse): boolean;
  /** Answers a gRPC call of a program on the fast path. Returns false, and does nothing, for others. */
  handleStream(call: StreamCall): boolean;
}

/** A call for Connect, by a caller who may make it. */
export interface ConnectCall {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly handler: UniversalHandler;
  readonly values: ContextValues;
}

/** No message is compressed that is smaller. */
const NEVER_BYTES = 2 ** 32 - 1;

/** Like connectNodeAdapter, with limits on bodies, errors in the contract's words, and failures passed to `onError`. */
export function createRpcHandler(deps: RpcHandlerDeps): RpcHandler {
  const { limits } = deps;
  const interceptors = [...deps.interceptors, knownEnums];
  const router = createConnectRouter({
    acceptCompression: fewAtATime([compressionGzip, compressionBrotli]),
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    maxTimeoutMs: limits.maxTimeoutMs,
    shutdownSignal: deps.shutdown,
    interceptors: [jsonNames, ...interceptors, untilSignal],
  });

  /** The values of a call, or the error for a caller who may not make it. */
  const callerValues = (method: DescMethod, authorization: string | undefined, peer = "") => {
    const values = createContextValues().set(DRAINING, deps.draining);
    try {
      const caller = deps.gate?.({ method, authorization, peer });
      return caller === undefined ? values : values.set(CALLER, caller);
    } catch (error) {
      return ConnectError.from(error);
    }
  };

  /** The body of a call, in its limits of time and memory. */
  const bodyOf = (
    chunks: AsyncIterable<Uint8Array>,
    { methodKind }: DescMethod,
    framing: BodyRules["framing"],
    call: { once(event: "close", then: () => void): unknown },
  ) => {
    const isStream = methodKind === "client_streaming" || methodKind === "bidi_streaming";
    const { body, release } = readBody(chunks, { ...deps, isStream, framing });
    call.once("close", release);
    return body;
  };

  /** Answers by Connect's chain. `given` is the body, if some of it was read already. */
  const connect = ({ request, response, handler, values }: ConnectCall, given?: AsyncIterable<Uint8Array>) => {
    const fail = (error: unknown) => {
      // Aborted: the caller disconnected, which is no failure.
      if (ConnectError.from(error).code !== Code.Aborted) deps.onError(error, handler.requestPath);
      cutOff(response);
    };
    try {
      const universal = withPlainHeaders(
        universalRequestFromNodeRequest(request, response, undefined, values),
        limits.maxTimeoutMs,
      );
      const contentType = universal.header.get("content-type") ?? "";
      const ofFlag = uncompressed(contentType, (name) => universal.header.get(name));
      const framing = isEnveloped(contentType) ? { uncompressed: ofFlag } : undefined;
      // Node's HTTP/2 request does not see the end of a stream that ended before it was made.
      const chunks = given ?? chunksOf("stream" in request ? request.stream : request);
      handler({ ...universal, body: bodyOf(chunks, handler.method, framing, response) })
        .then((answer) => {
          if (answer.status === 405) response.setHeader("allow", handler.allowedMethods.join(", "));
          return withReasons(answer, handler.method);
        })
        .then((answer) => universalResponseToNodeResponse(answer, response))
        .catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  const short = createShortCalls({ ...deps, interceptors, callerValues, bodyOf, connect });
  const compression = (method: DescMethod) => (isWatch(method) ? { compressMinBytes: NEVER_BYTES } : {});
  deps.routes(short.knowing(withNamedFields(router, compression)));
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return {
    services: [...new Set(router.handlers.map((handler) => handler.service))],
    knows: (request) => handlers.has(pathOf(request)),
    handle(request, response) {
      const handler = handlers.get(pathOf(request));
      if (handler === undefined) return false;
      const values = callerValues(handler.method, request.headers.authorization, request.socket.remoteAddress);
      const refused = values instanceof ConnectError ? values : formatFault(request, response, handler);
      if (refused !== undefined) refuseCall(request, response, refused);
      else if (!(values instanceof ConnectError)) connect({ request, response, handler, values });
      return true;
    },
    handleStream(call) {
      const handler = handlers.get(call.headers[":path"] ?? "");
      return handler !== undefined && short.answer(call, handler);
    },
  };
}

/** Answers a call at its deadline, also when its implementation does not watch its signal. */
const untilSignal: Interceptor = (next) => (request) =>
  request.stream ? next(request) : unlessAborted(request.signal, () => next(request));

/** The error for a call whose query or compression is not as Connect has it. */
function formatFault(
  request: NodeRequest,
  response: NodeResponse,
  handler: UniversalHandler,
): ConnectError | undefined {
  const isRead = request.method === "GET" && handler.allowedMethods.includes("GET");
  const fault = isRead ? queryFault(request.url ?? "", handler.method.input) : undefined;
  if (fault !== undefined) return toConnectError(fault);
  const contentType = request.headers["content-type"] ?? "";
  if (!handler.supportedContentType(contentType)) return undefined; // Connect refuses it
  const compression = compressionHeaders(contentType);
  const unknown = compressionFault(compression.sent, request.headers[compression.sent]?.toString());
  if (unknown !== undefined) response.setHeader(compression.accepted, ACCEPTED_COMPRESSIONS);
  return unknown;
}

function pathOf({ url = "" }: NodeRequest): string {
  return url.split("?", 1)[0] ?? "";
}

/** Ends a response that cannot be completed. (An Http2ServerResponse has no `destroy`, whatever its type says.) */
function cutOff(response: NodeResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}
