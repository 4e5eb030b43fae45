import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createConnectRouter, type Interceptor } from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { countedBody, type SharedBytes } from "./bytes-under-way.js";
import { inTurn } from "./decompression.js";
import { withPlainMessage } from "./grpc-message.js";
import { createGrpcUnary } from "./grpc-unary.js";
import { namingFields } from "./json-messages.js";
import { withPlainDemands } from "./plain-demands.js";
import { timedBody } from "./timed-body.js";
import { wholeMessages } from "./whole-messages.js";

/** A request as either of the two servers of a listener gives it. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** The response that belongs to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

type UniversalAnswer = Parameters<typeof universalResponseToNodeResponse>[0];

/** Limits of what a call may cost. */
export interface RpcLimits {
  /** Bytes of one message received, after decompression. */
  readMaxBytes: number;
  /** Bytes of messages that are read or worked on at one time, of all calls together, besides a few KiB of each. */
  sharedBytes: number;
  /** Bytes of one message sent. */
  writeMaxBytes: number;
  /** Longest deadline a caller may set, in ms. */
  maxTimeoutMs: number;
  /** Time for the body of a call with one request, in ms. */
  bodyTimeoutMs: number;
  /** Longest silence of a caller that streams requests, in ms. */
  streamSilenceMs: number;
}

/** What a handler of RPCs needs. */
export interface RpcHandlerDeps {
  routes: (router: ConnectRouter) => void;
  limits: RpcLimits;
  /** `limits.sharedBytes` of them. */
  shared: SharedBytes;
  interceptors: Interceptor[];
  /** When it fires, the signals of all calls fire. */
  shutdown: AbortSignal;
  /** Told of what went wrong behind a call's answer: the answer could not be written, or a fault of the server. */
  onError: (error: unknown, call: string) => void;
}

/** Answers requests for RPCs in gRPC, gRPC-Web and Connect. Gives false, and does nothing, when the path is no RPC. */
export interface RpcHandler {
  /** The services routed to. */
  readonly services: readonly DescService[];
  handle(request: NodeRequest, response: NodeResponse): boolean;
}

/** Content types of bodies that are messages with a prefix each. */
const ENVELOPED = /^application\/(grpc|connect\+)/;

/** As connectNodeAdapter does it, with limits on bodies that stall and errors given to `onError`. */
export function createRpcHandler(deps: RpcHandlerDeps): RpcHandler {
  const { limits } = deps;
  const router = createConnectRouter({
    acceptCompression: inTurn([compressionGzip, compressionBrotli]),
    readMaxBytes: limits.readMaxBytes,
    writeMaxBytes: limits.writeMaxBytes,
    maxTimeoutMs: limits.maxTimeoutMs,
    shutdownSignal: deps.shutdown,
    interceptors: deps.interceptors,
  });
  const short = createGrpcUnary(deps);
  deps.routes(short.knowing(namingFields(router)));
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return {
    services: [...new Set(router.handlers.map((handler) => handler.service))],
    handle(request, response) {
      const handler = handlers.get(request.url?.split("?", 1)[0] ?? "");
      if (handler === undefined) return false;
      const { methodKind } = handler.method;
      const streamsIn = methodKind === "client_streaming" || methodKind === "bidi_streaming";
      const fail = (error: unknown) => {
        // Aborted: the caller hung up, which is no fault.
        if (ConnectError.from(error).code !== Code.Aborted) deps.onError(error, handler.requestPath);
        cutOff(response);
      };
      const answer = (given?: AsyncIterable<Uint8Array>) => {
        try {
          const universal = withPlainDemands(universalRequestFromNodeRequest(request, response, undefined, undefined));
          const bodyOf = (chunks: AsyncIterable<Uint8Array>) => {
            const ms = streamsIn ? limits.streamSilenceMs : limits.bodyTimeoutMs;
            const { body, release } = countedBody(timedBody(chunks, ms, streamsIn), deps.shared, streamsIn);
            response.once("close", release);
            return ENVELOPED.test(universal.header.get("content-type") ?? "")
              ? wholeMessages(body, limits.readMaxBytes)
              : body;
          };
          const sent = given ?? universal.body;
          handler({ ...universal, body: isStream(sent) ? bodyOf(sent) : sent })
            .then((answer) => {
              if (answer.status === 405) response.setHeader("allow", handler.allowedMethods.join(", "));
              return universalResponseToNodeResponse(withMessage(answer), response);
            })
            .catch(fail);
        } catch (error) {
          fail(error);
        }
      };
      if (!("stream" in request && "stream" in response && short.take(request, response, answer))) answer();
      return true;
    },
  };
}

/** gRPC's trailers are complete only when the body has been read, so they are looked at when they are asked for. */
function withMessage(answer: UniversalAnswer): UniversalAnswer {
  const { trailer } = answer;
  if (trailer === undefined) return answer;
  return {
    ...answer,
    get trailer() {
      return withPlainMessage(trailer);
    },
  };
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Ends a response that cannot be completed. (An Http2ServerResponse has no `destroy`, whatever its type says.) */
function cutOff(response: NodeResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}
