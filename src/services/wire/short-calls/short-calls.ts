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
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type DescMethod, type DescService, fromBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createServiceImplSpec,
  type MethodImpl,
  type ServiceImpl,
} from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandler } from "@connectrpc/connect/protocol";
import { DirectContext, many } from "../../calls/direct-clients.js";
import { grpcTimeoutMs, isGrpcTimeout, isWatch, uncompressed } from "../call-format.js";
import { refuseCall } from "../error-answers.js";
import type { StreamCall } from "../http2-server.js";
import { type BodyRules, chunksAndRest, chunksOf, PREFIX_BYTES, tooLate, wholeBodyFault } from "../request-body.js";
import type { ConnectCall, RpcHandlerDeps } from "../rpc-handler.js";
import { lingerOnStream } from "../unread-body.js";
import { acceptsGzip, encoded, type Framed, failureOf, isOver, NOTHING, respond, writeAnswers } from "./answers.js";
import { invoke, invokeStream, type Message, type StreamSpec, type UnarySpec } from "./intercepted-calls.js";
import { readSmallBody } from "./small-body.js";

/** False: Connect answers every call. The answers are the same, and take more of the processor. */
export const SHORT_CALLS = true;

type Spec = UnarySpec | StreamSpec;
type RouteOptions = Parameters<ConnectRouter["service"]>[2];

const CONTENT_TYPES: ReadonlySet<string | undefined> = new Set(["application/grpc", "application/grpc+proto"]);

export interface ShortCallsDeps extends RpcHandlerDeps {
  /** The values of a call, or the error for a caller who may not make it. */
  readonly callerValues: (
    method: DescMethod,
    authorization: string | undefined,
    peer: string | undefined,
  ) => ContextValues | ConnectError;
  /** The body of a call, in its limits of time and memory. */
  readonly bodyOf: (
    chunks: AsyncIterable<Uint8Array>,
    method: DescMethod,
    framing: BodyRules["framing"],
    call: ServerHttp2Stream,
  ) => AsyncIterable<Uint8Array>;
  /** Answers a call by Connect's chain. `given` is its body. */
  readonly connect: (call: ConnectCall, given: AsyncIterable<Uint8Array>) => void;
}

export interface ShortCalls {
  /** The same router, whose services can also be called on the fast path. */
  knowing(router: ConnectRouter): ConnectRouter;
  /** Answers a gRPC call without compression. Returns false, and does nothing, for others. `handler` is Connect's for it. */
  answer(call: StreamCall, handler: UniversalHandler): boolean;
}

/** A call on the fast path, whose caller may make it. */
interface Call {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly values: ContextValues;
}

export function createShortCalls(deps: ShortCallsDeps): ShortCalls {
  const { limits } = deps;
  const specs = new Map<string | undefined, Spec>();
  const open = new Set<DirectContext>();
  deps.shutdown.addEventListener("abort", () => {
    for (const context of open) context.abort(deps.shutdown.reason);
  });

  /** Makes the context of a call, which ends with it, with its caller and with the server. */
  const contextOf = ({ method }: Spec, { stream, headers, values }: Call) => {
    const context = directContext(method, headers, values, limits.maxTimeoutMs);
    open.add(context);
    stream.once("aborted", () => context.abort(new ConnectError("the caller hung up", Code.Canceled)));
    return context;
  };
  const sendingOf = ({ method }: Spec, { headers }: Call) => ({
    output: method.output,
    acceptsGzip: acceptsGzip(headers) && !isWatch(method),
    writeMaxBytes: limits.writeMaxBytes,
  });

  const answerMessage = async (spec: UnarySpec, call: Call, message: Message) => {
    const { stream } = call;
    const context = contextOf(spec, call);
    let body: Framed = NOTHING;
    let failure: Headers | undefined;
    try {
      if (deps.shutdown.aborted) throw ConnectError.from(deps.shutdown.reason);
      const run = () => invoke(spec, message, context, deps.interceptors);
      body = await encoded(await (context.limited ? context.within(run) : run()), sendingOf(spec, call));
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

  const answerStream = async (spec: StreamSpec, call: Call, messages: AsyncIterable<Message>) => {
    const { stream } = call;
    const context = contextOf(spec, call);
    const sending = sendingOf(spec, call);
    let failure: Headers | undefined;
    let isBegun = false;
    const begin = (isCompressed: boolean) => {
      if (!isBegun) respond(stream, context, isCompressed, () => failure);
      isBegun = true;
    };
    try {
      if (deps.shutdown.aborted) throw ConnectError.from(deps.shutdown.reason);
      const run = () => invokeStream(spec, messages, context, deps.interceptors);
      await writeAnswers(stream, many(context, spec.method.output, run), sending, () => begin(sending.acceptsGzip));
    } catch (thrown) {
      failure = failureOf(context, thrown);
    }
    open.delete(context);
    if (isOver(stream)) return;
    begin(false);
    stream.end();
  };

  const failed = ({ method }: Spec, { stream }: Call) => {
    return (error: unknown) => {
      deps.onError(error, pathOf(method));
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    };
  };

  return {
    knowing: (router) => ({
      ...router,
      service<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods))
          if (spec.kind !== "bidi_streaming") specs.set(pathOf(spec.method), spec);
        router.service(service, implementation);
        return this;
      },
      rpc<M extends DescMethod>(method: M, implementation: MethodImpl<M>, options: RouteOptions) {
        specs.delete(pathOf(method));
        router.rpc(method, implementation, options);
        return this;
      },
    }),

    answer({ stream, headers, as }, handler) {
      if (!isPlain(headers) || stream.endAfterHeaders || stream.readableEnded) return false;
      const spec = specs.get(headers[":path"]);
      if (spec === undefined) return false;
      const values = deps.callerValues(spec.method, headers.authorization, stream.session?.socket.remoteAddress);
      const refuse = (error: ConnectError) => as((request, response) => refuseCall(request, response, error));
      if (values instanceof ConnectError) {
        refuse(values);
        return true;
      }
      const call = { stream, headers, values };
      const ofFlag = uncompressed(headers["content-type"] ?? "", (name) => headers[name]?.toString());
      if (spec.kind === "client_streaming") {
        lingerOnStream(stream, limits.lingerMs);
        const body = deps.bodyOf(chunksOf(stream), spec.method, { uncompressed: ofFlag }, stream);
        answerStream(spec, call, messagesOf(spec, body)).catch(failed(spec, call));
        return true;
      }
      const leave = (body: AsyncIterable<Uint8Array>) =>
        as((request, response) => deps.connect({ request, response, handler, values }, body));
      const begin = (body: Buffer) => {
        if (isOver(stream)) return;
        const fault = wholeBodyFault(body, limits.readMaxBytes, ofFlag);
        if (fault !== undefined) return refuse(fault);
        const message = messageOf(spec, body);
        if (message === undefined) return leave(chunksAndRest([body]));
        const answered =
          spec.kind === "unary"
            ? answerMessage(spec, call, message)
            : answerStream(spec, call, createAsyncIterable([message]));
        answered.catch(failed(spec, call));
      };
      readSmallBody(stream, limits.bodyTimeoutMs, {
        whole: (body) => deps.inTurn(() => begin(body)),
        part: leave,
        late: () => refuse(tooLate()),
      });
      return true;
    },
  };
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** Whether a program may have sent these headers with plain messages. */
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

/** The message of a body that is one; undefined for a body of several or none, and for bytes that are no message. */
function messageOf({ method }: Spec, body: Buffer): Message | undefined {
  if (body.length < PREFIX_BYTES || body.readUInt32BE(1) !== body.length - PREFIX_BYTES) return undefined;
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
): AsyncGenerator<Message, void, undefined> {
  for await (const framed of body) {
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
