/**
 * A fast path for the most frequent calls of programs: gRPC, one message each way, small and not compressed.
 *
 * Connect answers every protocol by one chain: a dozen nested iterators, three sets of headers and two controllers for
 * each call. The chain takes several times as long as the call itself. Here a body of one plain message goes to the
 * same implementation, through the same interceptors. All other calls take Connect's path with the bytes already read:
 * other protocols, streams, and compressed, large, broken or too many messages. So only Connect rejects calls.
 *
 * Answers are not compressed.
 */
import type { IncomingHttpHeaders } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createServiceImplSpec,
  type Interceptor,
  type MethodImpl,
  type MethodImplSpec,
  type ServiceImpl,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { DirectContext } from "./direct-clients.js";
import { answerTooLarge, withReason } from "./error-info.js";
import { withPlainMessage } from "./grpc-message.js";
import type { RpcLimits } from "./rpc-handler.js";

/** A call of one message each way. */
type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

type RouteOptions = Parameters<ConnectRouter["service"]>[2];

/** Flags, and the length of the message in four bytes (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const PREFIX_BYTES = 5;
const CONTENT_TYPES: ReadonlySet<string | undefined> = new Set(["application/grpc", "application/grpc+proto"]);
const TIMEOUT = /^\d{1,8}[HMSmun]$/;

export interface GrpcUnaryDeps {
  readonly limits: Pick<RpcLimits, "readMaxBytes" | "writeMaxBytes" | "maxTimeoutMs">;
  readonly interceptors: readonly Interceptor[];
  /** Aborting it aborts the signals of all calls. */
  readonly shutdown: AbortSignal;
  /** Called when an answer could not be written. */
  readonly onError: (error: unknown, call: string) => void;
}

export interface GrpcUnary {
  /** The same router, whose services can also be called on the fast path. */
  knowing(router: ConnectRouter): ConnectRouter;
  /** Answers the call when its body is one plain message; otherwise returns false and does nothing. */
  answer(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    contextValues: ContextValues,
    body: Buffer,
  ): boolean;
}

export function createGrpcUnary(deps: GrpcUnaryDeps): GrpcUnary {
  const specs = new Map<string, UnarySpec>();
  const open = new Set<DirectContext>();
  deps.shutdown.addEventListener("abort", () => {
    for (const context of open) context.abort(deps.shutdown.reason);
  });

  const answer = async (
    path: string,
    spec: UnarySpec,
    message: MessageShape<DescMessage>,
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    contextValues: ContextValues,
  ) => {
    const context = contextOf(spec, path, request.headers, contextValues, deps.limits.maxTimeoutMs);
    open.add(context);
    const { stream } = response;
    const gone = () => context.abort(new ConnectError("the caller hung up", Code.Canceled));
    stream.once("aborted", gone);
    let bytes: Uint8Array = NOTHING;
    let trailer: Headers | undefined;
    try {
      if (deps.shutdown.aborted) throw ConnectError.from(deps.shutdown.reason);
      const answered = await invoke(spec, message, context, deps.interceptors);
      bytes = framed(toBinary(spec.method.output, answered), deps.limits.writeMaxBytes);
      context.finish();
    } catch (thrown) {
      trailer = new Headers();
      setTrailerStatus(trailer, withReason(context.fail(thrown)));
    }
    open.delete(context);
    if (stream.destroyed || stream.closed) return;
    response.writeHead(200, { ...recordOf(context.headerSet), "content-type": "application/grpc+proto" });
    response.addTrailers({
      ...recordOf(context.trailerSet),
      ...(trailer === undefined ? GRPC_OK : recordOf(withPlainMessage(trailer))),
    });
    response.end(bytes);
  };

  return {
    knowing: (router) => ({
      ...router,
      service<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>) {
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods))
          if (spec.kind === "unary") specs.set(pathOf(spec.method), spec);
        router.service(service, implementation);
        return this;
      },
      rpc<M extends DescMethod>(method: M, implementation: MethodImpl<M>, options: RouteOptions) {
        specs.delete(pathOf(method));
        router.rpc(method, implementation, options);
        return this;
      },
    }),

    answer(request, response, contextValues, body) {
      const path = request.url;
      const spec = specs.get(path);
      if (spec === undefined || body.length > PREFIX_BYTES + deps.limits.readMaxBytes) return false;
      if (!isPlain(request, deps.limits.maxTimeoutMs)) return false;
      const message = messageOf(spec.method.input, body);
      if (message === undefined) return false;
      answer(path, spec, message, request, response, contextValues).catch((error: unknown) => {
        deps.onError(error, path);
        response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      });
      return true;
    },
  };
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

const NOTHING = new Uint8Array(0);
const GRPC_OK = { "grpc-status": "0" };

function isPlain({ headers }: Http2ServerRequest, maxTimeoutMs: number): boolean {
  if (!CONTENT_TYPES.has(headers["content-type"])) return false;
  const encoding = headers["grpc-encoding"];
  if (encoding !== undefined && encoding !== "identity") return false;
  const timeout = headers["grpc-timeout"];
  if (timeout === undefined) return true;
  return typeof timeout === "string" && TIMEOUT.test(timeout) && !parseTimeout(timeout, maxTimeoutMs).error;
}

function contextOf(
  spec: UnarySpec,
  path: string,
  headers: IncomingHttpHeaders,
  contextValues: ContextValues,
  maxTimeoutMs: number,
): DirectContext {
  const timeout = headers["grpc-timeout"];
  const { timeoutMs } = typeof timeout === "string" ? parseTimeout(timeout, maxTimeoutMs) : {};
  const options = { contextValues, ...(timeoutMs !== undefined && { timeoutMs }) };
  return new DirectContext(spec.method.parent, spec.method, options, {
    protocolName: "grpc",
    url: path,
    header: () => requestHeader(headers),
  });
}

/** Through the interceptors, outermost first, to the implementation. */
async function invoke(
  { impl, method }: UnarySpec,
  message: MessageShape<DescMessage>,
  context: DirectContext,
  interceptors: readonly Interceptor[],
): Promise<MessageShape<DescMessage>> {
  const { service } = context;
  const request: UnaryRequest = {
    stream: false,
    service,
    method,
    message,
    requestMethod: context.requestMethod,
    url: context.url,
    // Built when an interceptor asks.
    get header() {
      return context.requestHeader;
    },
    get signal() {
      return context.signal;
    },
    get contextValues() {
      return context.values;
    },
  };
  const last = async (): Promise<UnaryResponse> => ({
    stream: false,
    service,
    method,
    message: create(method.output, await impl(message, context)),
    get header() {
      return context.responseHeader;
    },
    get trailer() {
      return context.responseTrailer;
    },
  });
  let next: Parameters<Interceptor>[0] = last;
  for (let at = interceptors.length - 1; at >= 0; at--) next = interceptors[at]!(next);
  const call = async () => next(request);
  const answer = await (context.limited ? context.within(call) : call());
  if (answer.stream) throw new ConnectError("an interceptor made a stream of one message", Code.Internal);
  return answer.message;
}

/** The message of a body that is one uncompressed message; undefined for any other. */
function messageOf(input: DescMessage, body: Buffer): MessageShape<DescMessage> | undefined {
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    return undefined;
  try {
    return fromBinary(input, body.subarray(PREFIX_BYTES));
  } catch {
    // Connect's path rejects the malformed message
    return undefined;
  }
}

function framed(message: Uint8Array, mostBytes: number): Buffer {
  if (message.length > mostBytes) throw answerTooLarge(mostBytes);
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

function requestHeader(headers: IncomingHttpHeaders): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) all.append(name, one);
  }
  return all;
}

function recordOf(headers: Headers | undefined): Record<string, string> {
  return headers === undefined ? {} : Object.fromEntries(headers);
}
