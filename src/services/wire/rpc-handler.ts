import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
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
import { timedBody, tooLate } from "./body-timeout.js";
import {
  ACCEPTED_COMPRESSIONS,
  compressionFault,
  compressionHeaders,
  isEnveloped,
  uncompressed,
} from "./call-format.js";
import { inTurn } from "./decompression.js";
import { DRAINING } from "../calls/draining.js";
import { withReasons } from "./error-answers.js";
import { toConnectError } from "../errors/errors.js";
import { chunksAndRest, errorOfMessages, readFirstMessage } from "./first-message.js";
import { withNamedFields } from "../json/json-messages.js";
import { jsonNames } from "../json/json-names.js";
import { knownEnums } from "../json/known-enums.js";
import { framedMessages, type Uncompressed } from "./message-framing.js";
import { countedBody, type MessageMemory } from "./message-memory.js";
import { withPlainHeaders } from "./plain-headers.js";
import type { StreamCall } from "./protocol-servers.js";
import { queryFault } from "./query-fault.js";
import { refuseCall } from "./refuse-call.js";
import type { RpcLimits } from "./rpc-limits.js";
import { createShortCalls } from "./short-calls/short-calls.js";
import type { InTurn } from "./turns.js";
import { lingerOnStream } from "./unread-body.js";

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
  draining?: AbortSignal;
  /** Called with failures behind an answer: the answer could not be written, or a server error. */
  onError: (error: unknown, call: string) => void;
  /** Runs the work of an HTTP/2 call in its turn; default: at once. */
  inTurn?: InTurn;
}

/** Answers RPCs in gRPC, gRPC-Web and Connect. Returns false, and does nothing, when the path is no RPC. */
export interface RpcHandler {
  /** The routed services. */
  readonly services: readonly DescService[];
  /** Whether the path is that of an RPC. */
  knows(request: NodeRequest): boolean;
  handle(request: NodeRequest, response: NodeResponse): boolean;
  /** Answers a unary gRPC call of a program on the fast path. Returns false, and does nothing, for others. */
  handleStream(call: StreamCall): boolean;
}

interface Call {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly handler: UniversalHandler;
  readonly values: ContextValues;
  /** Whether requests are a stream. */
  readonly streamsIn: boolean;
}

/** Bytes read before the call begins: as many as each call may hold free of charge (`message-memory.ts`). */
const FIRST_BYTES = 4096;

/** Like connectNodeAdapter, with limits on stalled bodies and with errors passed to `onError`. */
export function createRpcHandler(deps: RpcHandlerDeps): RpcHandler {
  const { limits, inTurn: runInTurn = (work) => work() } = deps;
  const interceptors = [...deps.interceptors, knownEnums];
  const router = createConnectRouter({
    acceptCompression: inTurn([compressionGzip, compressionBrotli]),
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    maxTimeoutMs: limits.maxTimeoutMs,
    shutdownSignal: deps.shutdown,
    interceptors: [jsonNames, ...interceptors],
  });
  const short = createShortCalls({ ...deps, interceptors });
  deps.routes(short.knowing(withNamedFields(router)));
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  /** The values of a call, or the error for a caller who may not make it. */
  const callerValues = (method: DescMethod, authorization: string | undefined, peer = "") => {
    const values = createContextValues();
    if (deps.draining !== undefined) values.set(DRAINING, deps.draining);
    try {
      const caller = deps.gate?.({ method, authorization, peer });
      return caller === undefined ? values : values.set(CALLER, caller);
    } catch (error) {
      return ConnectError.from(error);
    }
  };
  const firstMessage = (isStream: boolean) => ({
    bytes: Math.min(FIRST_BYTES, limits.readMaxBytes),
    ms: isStream ? limits.streamSilenceMs : limits.bodyTimeoutMs,
    isStream,
  });
  const beginning = (stream: ServerHttp2Stream) => (work: () => void) =>
    runInTurn(() => {
      if (!stream.destroyed && !stream.closed) work();
    });

  /** The body of a call, in its limits of time and memory. */
  const bodyOf = (
    chunks: AsyncIterable<Uint8Array>,
    call: NodeResponse | ServerHttp2Stream,
    streamsIn: boolean,
    framing: { readonly uncompressed: Uncompressed } | undefined,
  ) => {
    const ms = streamsIn ? limits.streamSilenceMs : limits.bodyTimeoutMs;
    const { body, release } = countedBody(timedBody(chunks, ms, streamsIn), deps.shared, streamsIn);
    call.once("close", release);
    return framing === undefined ? body : framedMessages(body, limits.readMaxBytes, framing.uncompressed);
  };

  /** Answers by Connect's chain. `given` is the body, if it was read already. */
  const connect = ({ request, response, handler, values, streamsIn }: Call, given?: AsyncIterable<Uint8Array>) => {
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
      const framing = isEnveloped(contentType)
        ? { uncompressed: uncompressed(contentType, (name) => universal.header.get(name)) }
        : undefined;
      const sent = given ?? universal.body;
      handler({ ...universal, body: isStream(sent) ? bodyOf(sent, response, streamsIn, framing) : sent })
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

  return {
    services: [...new Set(router.handlers.map((handler) => handler.service))],
    knows: (request) => handlers.has(pathOf(request)),
    handle(request, response) {
      const handler = handlers.get(pathOf(request));
      if (handler === undefined) return false;
      const values = callerValues(handler.method, request.headers.authorization, request.socket.remoteAddress);
      if (values instanceof ConnectError) {
        refuseCall(request, response, values);
        return true;
      }
      const { methodKind } = handler.method;
      const streamsIn = methodKind === "client_streaming" || methodKind === "bidi_streaming";
      const call = { request, response, handler, values, streamsIn };
      const isRead = request.method === "GET" && handler.allowedMethods.includes("GET");
      const fault = isRead ? queryFault(request.url ?? "", handler.method.input) : undefined;
      if (fault !== undefined) {
        refuseCall(request, response, toConnectError(fault));
        return true;
      }
      const contentType = request.headers["content-type"] ?? "";
      const isAccepted = handler.supportedContentType(contentType);
      const compression = compressionHeaders(contentType);
      const unknown = isAccepted ? compressionFault(compression.sent, headerOf(request, compression.sent)) : undefined;
      if (unknown !== undefined) {
        response.setHeader(compression.accepted, ACCEPTED_COMPRESSIONS);
        refuseCall(request, response, unknown);
        return true;
      }
      const isFramed = isAccepted && isEnveloped(contentType);
      const isHttp2 = "stream" in request;
      if (!isFramed && (streamsIn || !isHttp2)) {
        connect(call);
        return true;
      }
      if (isHttp2 ? !hasBody(request) : request.method !== "POST") {
        connect(call, chunksAndRest([])); // Node's request was made after the end of its stream, and sees none
        return true;
      }
      const begin = isHttp2 ? beginning(request.stream) : (work: () => void) => work();
      readFirstMessage(isHttp2 ? request.stream : request, firstMessage(streamsIn), {
        whole: (body) =>
          begin(() => {
            const ofFlag = uncompressed(contentType, (name) => headerOf(request, name));
            const error = isFramed ? errorOfMessages(body, limits.readMaxBytes, ofFlag) : undefined;
            if (error !== undefined) refuseCall(request, response, error);
            else connect(call, chunksAndRest([body]));
          }),
        part: (body) => begin(() => connect(call, body)),
        late: () => refuseCall(request, response, tooLate()),
      });
      return true;
    },
    handleStream({ stream, headers, as }) {
      if (stream.endAfterHeaders || stream.readableEnded) return false;
      const unary = short.specOf(headers);
      const streamed = short.streamSpecOf(headers);
      const spec = unary ?? streamed;
      const handler = spec && handlers.get(headers[":path"] ?? "");
      if (spec === undefined || handler === undefined) return false;
      const values = callerValues(spec.method, headers.authorization, stream.session?.socket.remoteAddress);
      if (values instanceof ConnectError) {
        as((request, response) => refuseCall(request, response, values));
        return true;
      }
      const begin = beginning(stream);
      const ofFlag = uncompressed(headers["content-type"] ?? "", (name) => headers[name]?.toString());
      const late = () => as((request, response) => refuseCall(request, response, tooLate()));
      /** Leaves the call to Connect. */
      const leave = (body: AsyncIterable<Uint8Array>) =>
        as((request, response) =>
          connect({ request, response, handler, values, streamsIn: unary === undefined }, body),
        );
      /** The same for a whole body, unless it is no sequence of messages. */
      const leaveWhole = (body: Buffer) => {
        const error = errorOfMessages(body, limits.readMaxBytes, ofFlag);
        if (error === undefined) leave(chunksAndRest([body]));
        else as((request, response) => refuseCall(request, response, error));
      };
      if (unary !== undefined) {
        readFirstMessage(stream, firstMessage(false), {
          whole: (body) =>
            begin(() => {
              if (!short.answer(unary, stream, headers, values, body)) leaveWhole(body);
            }),
          part: (body) => begin(() => leave(body)),
          late,
        });
        return true;
      }
      if (streamed === undefined) return false;
      readFirstMessage(stream, firstMessage(true), {
        whole: (body) => begin(() => leaveWhole(body)),
        part: (body) =>
          begin(() => {
            lingerOnStream(stream, limits.lingerMs);
            short.answerStream(streamed, stream, headers, values, bodyOf(body, stream, true, { uncompressed: ofFlag }));
          }),
        late,
      });
      return true;
    },
  };
}

function headerOf({ headers }: NodeRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function pathOf({ url = "" }: NodeRequest): string {
  return url.split("?", 1)[0] ?? "";
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
