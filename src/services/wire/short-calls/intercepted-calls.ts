/** Calls an implementation through the interceptors, for the fast path (`short-calls.ts`). */
import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type MethodImplSpec } from "@connectrpc/connect";
import type { DirectContext } from "../../calls/direct-clients.js";
import { FastRequest, FastResponse } from "./requests.js";

export type Message = MessageShape<DescMessage>;

/** A call of one message each way. */
export type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;
/** A call of a stream of messages and one answer. */
export type StreamSpec = Extract<MethodImplSpec, { kind: "client_streaming" }>;
/** A call of one message and a stream of answers. */
export type AnswersSpec = Extract<MethodImplSpec, { kind: "server_streaming" }>;

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

/** The same for a stream of messages. */
export async function invokeStream(
  { impl, method }: StreamSpec,
  messages: AsyncIterable<Message>,
  context: DirectContext,
  interceptors: readonly Interceptor[],
): Promise<Message> {
  const answers = answersOf(method, messages, context, interceptors, async function* (requests) {
    yield create(method.output, await impl(requests, context));
  });
  let found: Message | undefined;
  for await (const message of answers) found ??= message; // to its end, which interceptors wait for
  if (found === undefined) throw new ConnectError("an interceptor took the answer away", Code.Internal);
  return found;
}

/** The same for one message and a stream of answers. */
export function invokeAnswers(
  { impl, method }: AnswersSpec,
  message: Message,
  context: DirectContext,
  interceptors: readonly Interceptor[],
): AsyncIterable<Message> {
  return answersOf(method, only(message), context, interceptors, async function* (requests) {
    for await (const request of requests)
      for await (const answer of impl(request, context)) yield create(method.output, answer);
  });
}

async function* answersOf(
  method: StreamSpec["method"] | AnswersSpec["method"],
  messages: AsyncIterable<Message>,
  context: DirectContext,
  interceptors: readonly Interceptor[],
  run: (requests: AsyncIterable<Message>) => AsyncIterable<Message>,
): AsyncGenerator<Message, void, undefined> {
  const { service, requestMethod, url, signal, requestHeader: header, values: contextValues } = context;
  const last: Next = async (request) => {
    if (!request.stream) throw new ConnectError("an interceptor made one message of a stream", Code.Internal);
    const message = run(request.message);
    return { stream: true, service, method, message, header: context.responseHeader, trailer: context.responseTrailer };
  };
  const answer = await around(
    last,
    interceptors,
  )({ stream: true, service, method, message: messages, requestMethod, url, signal, header, contextValues });
  if (!answer.stream) throw new ConnectError("an interceptor made one message of a stream", Code.Internal);
  yield* answer.message;
}

type Next = Parameters<Interceptor>[0];

function around(last: Next, interceptors: readonly Interceptor[]): Next {
  let next = last;
  for (let at = interceptors.length - 1; at >= 0; at--) next = interceptors[at]!(next);
  return next;
}

async function* only<T>(message: T): AsyncGenerator<T, void, undefined> {
  yield message;
}
