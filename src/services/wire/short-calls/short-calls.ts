/**
 * A fast path for the most frequent calls of programs: gRPC, one message each way, small and not compressed, and for the
 * events and products that they send by the million: a stream of messages that are not compressed, answered by one. And one
 * message answered by a stream (`answers.ts`), so that what many watches get is encoded once.
 *
 * Connect answers every protocol by one chain: a dozen nested iterators, three sets of headers and two controllers for
 * each call. Node's own request and response objects come on top. Both take several times as long as the call itself. Here
 * a body of one plain message goes to the same implementation, through the same interceptors, and the answer straight to
 * the stream. All other calls take Connect's path with the bytes already read: other protocols, streams, and compressed,
 * large or broken messages.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import { type DescMethod, type DescService, fromBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createServiceImplSpec,
  type Interceptor,
  type MethodImpl,
  type ServiceImpl,
} from "@connectrpc/connect";
import { DirectContext, many } from "../../calls/direct-clients.js";
import { errorOfMessages } from "../first-message.js";
import { grpcTimeoutMs, isGrpcTimeout } from "../grpc-timeout.js";
import type { RpcLimits } from "../rpc-limits.js";
import { isWatch } from "../../telemetry/rpc-methods.js";
import {
  acceptsGzip,
  encoded,
  type Framed,
  failureOf,
  isOver,
  NOTHING,
  PREFIX_BYTES,
  respond,
  writeAnswers,
} from "./answers.js";
import {
  type AnswersSpec,
  invoke,
  invokeAnswers,
  invokeStream,
  type Message,
  type StreamSpec,
  type UnarySpec,
} from "./intercepted-calls.js";

/** False: Connect answers every call. The answers are the same, and take more of the processor. */
export const SHORT_CALLS = true;

type Spec = UnarySpec | StreamSpec | AnswersSpec;
type RouteOptions = Parameters<ConnectRouter["service"]>[2];

const CONTENT_TYPES: ReadonlySet<string | undefined> = new Set(["application/grpc", "application/grpc+proto"]);

export interface ShortCallsDeps {
  readonly limits: Pick<RpcLimits, "readMaxBytes" | "writeMaxBytes" | "maxTimeoutMs">;
  readonly interceptors: readonly Interceptor[];
  /** Aborting it aborts the signals of all calls. */
  readonly shutdown: AbortSignal;
  /** Called when an answer could not be written. */
  readonly onError: (error: unknown, call: string) => void;
}

export interface ShortCalls {
  /** The same router, whose services can also be called on the fast path. */
  knowing(router: ConnectRouter): ConnectRouter;
  /** What a call with these headers may reach on the fast path, if anything. */
  specOf(headers: IncomingHttpHeaders): UnarySpec | AnswersSpec | undefined;
  streamSpecOf(headers: IncomingHttpHeaders): StreamSpec | undefined;
  /** Answers the call when its body is one plain message; otherwise returns false and does nothing. */
  answer(
    spec: UnarySpec | AnswersSpec,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    contextValues: ContextValues,
    body: Buffer,
  ): boolean;
  /** Answers a call whose body is these messages, each with its prefix. */
  answerStream(
    spec: StreamSpec,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    contextValues: ContextValues,
    body: AsyncIterable<Uint8Array>,
  ): void;
}

export function createShortCalls(deps: ShortCallsDeps): ShortCalls {
  const { limits } = deps;
  const specs = new Map<string | undefined, UnarySpec | AnswersSpec>();
  const streamSpecs = new Map<string | undefined, StreamSpec>();
  const open = new Set<DirectContext>();
  deps.shutdown.addEventListener("abort", () => {
    for (const context of open) context.abort(deps.shutdown.reason);
  });

  /** Makes the context of a call, which ends with it, with its caller and with the server. */
  const contextOf = (
    { method }: Spec,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    contextValues: ContextValues,
  ) => {
    const context = directContext(method, headers, contextValues, limits.maxTimeoutMs);
    open.add(context);
    stream.once("aborted", () => context.abort(new ConnectError("the caller hung up", Code.Canceled)));
    return context;
  };
  const sendingOf = ({ method }: Spec, headers: IncomingHttpHeaders) => ({
    output: method.output,
    acceptsGzip: acceptsGzip(headers) && !isWatch(method),
    writeMaxBytes: limits.writeMaxBytes,
  });

  const answer = async (
    spec: UnarySpec | StreamSpec,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    contextValues: ContextValues,
    call: (context: DirectContext) => Promise<Message>,
  ) => {
    const context = contextOf(spec, stream, headers, contextValues);
    let body: Framed = NOTHING;
    let failure: Headers | undefined;
    try {
      if (deps.shutdown.aborted) throw ConnectError.from(deps.shutdown.reason);
      const message = await (context.limited ? context.within(() => call(context)) : call(context));
      body = await encoded(message, sendingOf(spec, headers));
      context.finish();
    } catch (thrown) {
      body = NOTHING;
      failure = failureOf(context, thrown);
    }
    open.delete(context);
    if (isOver(stream)) return;
    respond(stream, context, body.isCompressed, () => failure);
    stream.end(body.bytes);
  };

  const answerMany = async (
    spec: AnswersSpec,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    contextValues: ContextValues,
    message: Message,
  ) => {
    const context = contextOf(spec, stream, headers, contextValues);
    const sending = sendingOf(spec, headers);
    let failure: Headers | undefined;
    let isBegun = false;
    const begin = (isCompressed: boolean) => {
      if (!isBegun) respond(stream, context, isCompressed, () => failure);
      isBegun = true;
    };
    try {
      if (deps.shutdown.aborted) throw ConnectError.from(deps.shutdown.reason);
      const call = () => invokeAnswers(spec, message, context, deps.interceptors);
      await writeAnswers(stream, many(context, spec.method.output, call), sending, () => begin(sending.acceptsGzip));
    } catch (thrown) {
      failure = failureOf(context, thrown);
    }
    open.delete(context);
    if (isOver(stream)) return;
    begin(false);
    stream.end();
  };

  const failed =
    ({ method }: Spec, stream: ServerHttp2Stream) =>
    (error: unknown) => {
      deps.onError(error, pathOf(method));
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    };

  return {
    knowing: (router) => ({
      ...router,
      service<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
          if (spec.kind === "unary" || spec.kind === "server_streaming") specs.set(pathOf(spec.method), spec);
          if (spec.kind === "client_streaming") streamSpecs.set(pathOf(spec.method), spec);
        }
        router.service(service, implementation);
        return this;
      },
      rpc<M extends DescMethod>(method: M, implementation: MethodImpl<M>, options: RouteOptions) {
        specs.delete(pathOf(method));
        streamSpecs.delete(pathOf(method));
        router.rpc(method, implementation, options);
        return this;
      },
    }),

    specOf: (headers) => (isPlain(headers) ? specs.get(headers[":path"]) : undefined),
    streamSpecOf: (headers) => (isPlain(headers) ? streamSpecs.get(headers[":path"]) : undefined),

    answer(spec, stream, headers, contextValues, body) {
      if (body.length > PREFIX_BYTES + limits.readMaxBytes) return false;
      const message = messageOf(spec, body);
      if (message === undefined) return false;
      const answered =
        spec.kind === "unary"
          ? answer(spec, stream, headers, contextValues, (context) => invoke(spec, message, context, deps.interceptors))
          : answerMany(spec, stream, headers, contextValues, message);
      answered.catch(failed(spec, stream));
      return true;
    },

    answerStream(spec, stream, headers, contextValues, body) {
      const messages = messagesOf(spec, body, limits.readMaxBytes);
      const call = (context: DirectContext) => invokeStream(spec, messages, context, deps.interceptors);
      answer(spec, stream, headers, contextValues, call).catch(failed(spec, stream));
    },
  };
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Whether a program may have sent these headers with one plain message. */
function isPlain(headers: IncomingHttpHeaders): boolean {
  if (headers[":method"] !== "POST" || !CONTENT_TYPES.has(headers["content-type"])) return false;
  const encoding = headers["grpc-encoding"];
  if (encoding !== undefined && encoding !== "identity") return false;
  if (headers.expect !== undefined) return false;
  const timeout = headers["grpc-timeout"];
  return timeout === undefined || isGrpcTimeout(timeout);
}

function directContext(
  method: DescMethod,
  headers: IncomingHttpHeaders,
  contextValues: ContextValues,
  maxTimeoutMs: number,
): DirectContext {
  const timeout = headers["grpc-timeout"];
  const options =
    typeof timeout === "string"
      ? { contextValues, timeoutMs: Math.min(grpcTimeoutMs(timeout), maxTimeoutMs) }
      : { contextValues };
  return new DirectContext(method.parent, method, options, {
    protocolName: "grpc",
    url: headers[":path"] ?? "",
    header: () => requestHeader(headers),
  });
}

/** The message of a body that is one uncompressed message; undefined for any other. */
function messageOf({ method }: Spec, body: Buffer): Message | undefined {
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    return undefined;
  try {
    return fromBinary(method.input, body.subarray(PREFIX_BYTES));
  } catch {
    // Connect's path rejects the malformed message
    return undefined;
  }
}

/** Rejects as Connect does. */
async function* messagesOf(
  { method }: StreamSpec,
  body: AsyncIterable<Uint8Array>,
  readMaxBytes: number,
): AsyncGenerator<Message, void, undefined> {
  for await (const framed of body) {
    const error = errorOfMessages(framed, readMaxBytes, undefined);
    if (error !== undefined) throw error;
    let message: Message;
    try {
      message = fromBinary(method.input, framed.subarray(PREFIX_BYTES));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConnectError(`parse binary: ${reason}`, Code.Internal);
    }
    yield message;
  }
}

function requestHeader(headers: IncomingHttpHeaders): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) all.append(name, one);
  }
  return all;
}
