import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { CALLER, type Caller, type Gate } from "./authorization.js";
import { timedBody, tooLate } from "./body-timeout.js";
import { inTurn } from "./decompression.js";
import { withReasons } from "./error-answers.js";
import { chunksAndRest, errorOfMessages, readFirstMessage } from "./first-message.js";
import { createGrpcUnary } from "./grpc-unary.js";
import { withNamedFields } from "./json-messages.js";
import { framedMessages } from "./message-framing.js";
import { countedBody, type MessageMemory } from "./message-memory.js";
import { refuseCall } from "./refuse-call.js";

/** A request of either server of a listener. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** Its response. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Limits on the cost of a call. */
export interface RpcLimits {
  /** Bytes of one message received, after decompression. */
  readMaxBytes: number;
  /** Bytes of messages that are read or processed at a time, over all calls, besides a few KiB of each. */
  sharedBytes: number;
  /** Bytes of one message sent. */
  writeMaxBytes: number;
  /** Longest deadline a caller may set, in ms. */
  maxTimeoutMs: number;
  /** Time for the body of a call with one request, in ms. */
  bodyTimeoutMs: number;
  /** Maximum silence of a caller that streams requests, in ms. */
  streamSilenceMs: number;
}

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
  /** Called with failures behind an answer: the answer could not be written, or a server error. */
  onError: (error: unknown, call: string) => void;
  /** Runs the work of an HTTP/2 call in its turn; default: at once. */
  inTurn?: (request: Http2ServerRequest, work: () => void) => void;
}

/** Answers RPCs in gRPC, gRPC-Web and Connect. Returns false, and does nothing, when the path is no RPC. */
export interface RpcHandler {
  /** The routed services. */
  readonly services: readonly DescService[];
  handle(request: NodeRequest, response: NodeResponse): boolean;
}

/** Content types whose bodies are messages with a prefix each. */
const ENVELOPED = /^application\/(grpc|connect\+)/;
/** Bytes read before the call begins: as many as each call may hold free of charge (`message-memory.ts`). */
const FIRST_BYTES = 4096;

/** Like connectNodeAdapter, with limits on stalled bodies and with errors passed to `onError`. */
export function createRpcHandler(deps: RpcHandlerDeps): RpcHandler {
  const { limits, inTurn: runInTurn = (_, work) => work() } = deps;
  const router = createConnectRouter({
    acceptCompression: inTurn([compressionGzip, compressionBrotli]),
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    maxTimeoutMs: limits.maxTimeoutMs,
    shutdownSignal: deps.shutdown,
    interceptors: deps.interceptors,
  });
  const short = createGrpcUnary(deps);
  deps.routes(short.knowing(withNamedFields(router)));
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return {
    services: [...new Set(router.handlers.map((handler) => handler.service))],
    handle(request, response) {
      const handler = handlers.get(request.url?.split("?", 1)[0] ?? "");
      if (handler === undefined) return false;
      let caller: Caller | undefined;
      try {
        const { authorization } = request.headers;
        const peer = request.socket.remoteAddress ?? "";
        caller = deps.gate?.({ method: handler.method, authorization, peer });
      } catch (error) {
        refuseCall(request, response, ConnectError.from(error));
        return true;
      }
      const values = createContextValues();
      if (caller !== undefined) values.set(CALLER, caller);
      const { methodKind } = handler.method;
      const streamsIn = methodKind === "client_streaming" || methodKind === "bidi_streaming";
      const fail = (error: unknown) => {
        // Aborted: the caller disconnected, which is no failure.
        if (ConnectError.from(error).code !== Code.Aborted) deps.onError(error, handler.requestPath);
        cutOff(response);
      };
      const answer = (given?: AsyncIterable<Uint8Array>) => {
        try {
          const universal = withPlainHeaders(universalRequestFromNodeRequest(request, response, undefined, values));
          const bodyOf = (chunks: AsyncIterable<Uint8Array>) => {
            const ms = streamsIn ? limits.streamSilenceMs : limits.bodyTimeoutMs;
            const { body, release } = countedBody(timedBody(chunks, ms, streamsIn), deps.shared, streamsIn);
            response.once("close", release);
            return ENVELOPED.test(universal.header.get("content-type") ?? "")
              ? framedMessages(body, limits.readMaxBytes)
              : body;
          };
          const sent = given ?? universal.body;
          handler({ ...universal, body: isStream(sent) ? bodyOf(sent) : sent })
            .then((answer) => {
              if (answer.status === 405) response.setHeader("allow", handler.allowedMethods.join(", "));
              return withReasons(answer);
            })
            .then((answer) => universalResponseToNodeResponse(answer, response))
            .catch(fail);
        } catch (error) {
          fail(error);
        }
      };
      const isEnveloped = ENVELOPED.test(request.headers["content-type"] ?? "");
      if (!("stream" in request && "stream" in response) || !hasBody(request) || (streamsIn && !isEnveloped)) {
        answer();
        return true;
      }
      const begin = (work: () => void) =>
        runInTurn(request, () => {
          if (!request.stream.destroyed && !request.stream.closed) work();
        });
      const ms = streamsIn ? limits.streamSilenceMs : limits.bodyTimeoutMs;
      const bytes = Math.min(FIRST_BYTES, limits.readMaxBytes);
      readFirstMessage(
        request.stream,
        { bytes, ms, isStream: streamsIn },
        {
          whole: (body) =>
            begin(() => {
              const error = isEnveloped ? errorOfMessages(body, limits.readMaxBytes) : undefined;
              if (error !== undefined) refuseCall(request, response, error);
              else if (!short.answer(request, response, values, body)) answer(chunksAndRest([body]));
            }),
          part: (body) => begin(() => answer(body)),
          late: () => refuseCall(request, response, tooLate()),
        },
      );
      return true;
    },
  };
}

/** Whether a body must be awaited: an empty one has ended by now. */
function hasBody({ method, stream }: Http2ServerRequest): boolean {
  return method === "POST" && !stream.endAfterHeaders && !stream.readableEnded;
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Ends a response that cannot be completed. (An Http2ServerResponse has no `destroy`, whatever its type says.) */
function cutOff(response: NodeResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Allowed values of a header, by its name. Connect's errors would quote other values. */
const TIMEOUTS: ReadonlyMap<string, RegExp> = new Map([
  ["grpc-timeout", /^\d{1,8}[HMSmun]$/],
  ["connect-timeout-ms", /^\d{1,10}$/],
]);
const ENCODINGS = ["grpc-encoding", "connect-content-encoding", "content-encoding"];
const KNOWN_ENCODINGS: ReadonlySet<string> = new Set(["gzip", "br", "identity"]);

/** The same request with a malformed timeout marked as such, and an unknown encoding named `unknown`. */
function withPlainHeaders(request: UniversalServerRequest): UniversalServerRequest {
  const { header } = request;
  for (const [name, pattern] of TIMEOUTS) {
    const value = header.get(name);
    if (value !== null && !pattern.test(value)) header.set(name, "not a time");
  }
  for (const name of ENCODINGS) {
    const value = header.get(name);
    if (value !== null && !KNOWN_ENCODINGS.has(value)) header.set(name, "unknown");
  }
  if (request.method !== "GET") return request;
  const url = new URL(request.url);
  const compression = url.searchParams.get("compression");
  if (compression === null || KNOWN_ENCODINGS.has(compression)) return request;
  url.searchParams.set("compression", "unknown");
  return { ...request, url: url.href };
}
