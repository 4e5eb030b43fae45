/**
 * Typed clients that call a service implementation in the same process: no bytes, no socket, no router.
 *
 * A router transport encodes, frames and decodes each message and builds three header sets and two abort
 * controllers a call (100-150 µs). Here a call is one function call: requests become messages unless they are
 * already, results too, and what a handler may ask of its context is made when it asks. Callers see the same
 * outcomes as over the wire: a ConnectError passes unchanged, anything else a handler throws becomes INTERNAL
 * with the fixed text `internal error` (the original stays in `cause`), a deadline or an abort ends the call.
 * Two differences: messages are handed over by reference, so neither side may change one it did not make; and a
 * streaming answer starts when it is first read.
 */
import {
  create,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  type Client,
  createServiceImplSpec,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import { DirectContext } from "./direct-context.js";

/** Gives a client of `service` whose calls run `implementation`. Methods it lacks answer UNIMPLEMENTED. */
export function directClient<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>): Client<S> {
  const spec = createServiceImplSpec(service, implementation);
  const methods = Object.entries(spec.methods).map(([name, method]) => [name, directMethod(service, method)] as const);
  // The entries follow the service's own method list, and directMethod gives each kind its client shape; the
  // compiler cannot follow a mapped type over descriptors.
  return Object.fromEntries(methods) as Client<S>;
}

type Init = MessageInitShape<DescMessage>;
type Message = MessageShape<DescMessage>;

function directMethod(service: DescService, spec: MethodImplSpec) {
  const { input, output } = spec.method;
  switch (spec.kind) {
    case "unary":
      return (request: Init, options?: CallOptions): Promise<Message> => {
        const context = new DirectContext(service, spec.method, options);
        return single(context, output, () => spec.impl(create(input, request), context));
      };
    case "client_streaming":
      return (requests: AsyncIterable<Init>, options?: CallOptions): Promise<Message> => {
        const context = new DirectContext(service, spec.method, options);
        return single(context, output, () => spec.impl(messages(input, requests), context));
      };
    case "server_streaming":
      return (request: Init, options?: CallOptions): AsyncIterable<Message> => {
        const context = new DirectContext(service, spec.method, options);
        return many(context, output, () => spec.impl(create(input, request), context));
      };
    case "bidi_streaming":
      return (requests: AsyncIterable<Init>, options?: CallOptions): AsyncIterable<Message> => {
        const context = new DirectContext(service, spec.method, options);
        return many(context, output, () => spec.impl(messages(input, requests), context));
      };
  }
}

async function single(
  context: DirectContext,
  output: DescMessage,
  run: () => PromiseLike<Init> | Init,
): Promise<Message> {
  try {
    const answer = create(output, await (context.limited ? context.within(run) : run()));
    context.showHeader();
    context.finish();
    return answer;
  } catch (error) {
    throw context.fail(error);
  }
}

async function* many(
  context: DirectContext,
  output: DescMessage,
  run: () => AsyncIterable<Init>,
): AsyncGenerator<Message, void, undefined> {
  let answers: AsyncIterator<Init> | undefined;
  let over = false;
  try {
    const opened = run()[Symbol.asyncIterator]();
    answers = opened;
    for (let first = true; ; first = false) {
      const next = await context.within(() => opened.next());
      if (first) context.showHeader();
      if (next.done === true) break;
      yield create(output, next.value);
    }
    over = true;
    context.finish();
  } catch (error) {
    over = true;
    // A handler that waits for something its signal does not end must not hold up a caller that has left.
    answers?.return?.()?.then(undefined, () => {});
    throw context.fail(error);
  } finally {
    if (!over) {
      context.cancel();
      await answers?.return?.();
    }
  }
}

async function* messages(input: DescMessage, requests: AsyncIterable<Init>): AsyncGenerator<Message, void, undefined> {
  for await (const request of requests) yield create(input, request);
}
