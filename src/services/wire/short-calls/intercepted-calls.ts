/** Calls an implementation through the interceptors, for the fast path (`short-calls.ts`). */
import { create, type DescMessage, type DescMethodUnary, type MessageShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type Interceptor,
  type MethodImplSpec,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import type { DirectContext } from "../../calls/direct-clients.js";

export type Message = MessageShape<DescMessage>;

/** A call of one message each way. */
export type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;
/** A call of a stream of messages on one side. */
export type StreamSpec = Extract<MethodImplSpec, { kind: "client_streaming" | "server_streaming" }>;

/** Through the interceptors, outermost first, to the implementation. */
export async function invoke(
  { impl, method }: UnarySpec,
  message: Message,
  context: DirectContext,
  interceptors: readonly Interceptor[],
): Promise<Message> {
  const last = async () => new FastResponse(method, create(method.output, await impl(message, context)), context);
  const answer = await around(last, interceptors)(new FastRequest(method, message, context));
  if (answer.stream) throw new ConnectError("an interceptor made a stream of one message", Code.Internal);
  return answer.message;
}

/** The same for a stream. */
export async function* invokeStream(
  spec: StreamSpec,
  messages: AsyncIterable<Message>,
  context: DirectContext,
  interceptors: readonly Interceptor[],
): AsyncGenerator<Message, void, undefined> {
  const { method } = spec;
  const { service, requestMethod, url, signal, requestHeader: header, values: contextValues } = context;
  const last: Next = async (request) => {
    if (!request.stream) throw new ConnectError("an interceptor made one message of a stream", Code.Internal);
    const message = answersOf(spec, request.message, context);
    return { stream: true, service, method, message, header: context.responseHeader, trailer: context.responseTrailer };
  };
  const answer = await around(
    last,
    interceptors,
  )({ stream: true, service, method, message: messages, requestMethod, url, signal, header, contextValues });
  if (!answer.stream) throw new ConnectError("an interceptor made one message of a stream", Code.Internal);
  yield* answer.message;
}

async function* answersOf(
  { kind, impl, method }: StreamSpec,
  requests: AsyncIterable<Message>,
  context: DirectContext,
): AsyncGenerator<Message, void, undefined> {
  if (kind === "client_streaming") yield create(method.output, await impl(requests, context));
  else
    for await (const request of requests)
      for await (const answer of impl(request, context)) yield create(method.output, answer);
}

type Next = Parameters<Interceptor>[0];

function around(last: Next, interceptors: readonly Interceptor[]): Next {
  let next = last;
  for (let at = interceptors.length - 1; at >= 0; at--) next = interceptors[at]!(next);
  return next;
}

/**
 * Request and answer of a unary call as interceptors see them. Headers and signal are made when one asks: nearly none does.
 * They are no own properties, so an interceptor that changes a message makes a whole request of its own.
 */
class FastMessage {
  readonly stream = false;

  constructor(
    readonly method: DescMethodUnary,
    readonly message: MessageShape<DescMessage>,
    protected readonly context: DirectContext,
  ) {}

  get service() {
    return this.context.service;
  }
}

class FastRequest extends FastMessage implements UnaryRequest {
  get requestMethod() {
    return this.context.requestMethod;
  }

  get url() {
    return this.context.url;
  }

  get header() {
    return this.context.requestHeader;
  }

  get signal() {
    return this.context.signal;
  }

  get contextValues() {
    return this.context.values;
  }
}

class FastResponse extends FastMessage implements UnaryResponse {
  get header() {
    return this.context.responseHeader;
  }

  get trailer() {
    return this.context.responseTrailer;
  }
}
