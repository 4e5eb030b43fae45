/**
 * Typed clients that call a service implementation in the same process: no bytes, no socket, no router.
 *
 * A router transport encodes, frames and decodes each message and builds three header sets and two abort
 * controllers a call (100-150 µs). Here a call is one function call. Requests and results become messages unless they
 * are messages already; the parts of a handler's context are made on first use. Callers see the same outcomes as over
 * the wire. A ConnectError passes unchanged. Any other error becomes INTERNAL with the fixed text `internal error`, and
 * stays in `cause`. A deadline or an abort ends the call.
 *
 * Two differences: messages pass by reference, so neither side may change one it did not make; and a streaming answer
 * starts when it is first read.
 */
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  type Client,
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  createServiceImplSpec,
  type HandlerContext,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import { CallDeadline } from "./call-deadline.js";

/** Returns a client of `service` whose calls run `implementation`. Methods it lacks answer UNIMPLEMENTED. */
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

/** The answers of a call as its caller sees them: they end with its deadline, its signal and its errors. */
export async function* many(
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
    // A handler that waits without watching its signal must not block a caller that has left.
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

/** Origin of a call from outside this process. */
export interface CallOrigin {
  readonly protocolName: string;
  readonly url: string;
  /** Its headers, built on first use. */
  readonly header: () => Headers;
}

/**
 * The handler's context of a direct call. Headers, values and the signal are built on first use: almost no handler
 * needs them, and building them all costs ten times the rest of a direct call.
 */
export class DirectContext implements HandlerContext {
  readonly protocolName: string;
  readonly requestMethod = "POST";
  readonly #options: CallOptions | undefined;
  readonly #deadline: CallDeadline | undefined;
  #controller: AbortController | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;
  #isOver = false;
  #reason: unknown;

  /** A property, as in the interface: handlers may destructure the context. */
  readonly timeoutMs: () => number | undefined;

  constructor(
    readonly service: DescService,
    readonly method: DescMethod,
    options: CallOptions | undefined,
    private readonly origin: CallOrigin | undefined = undefined,
  ) {
    this.#options = options;
    this.protocolName = origin?.protocolName ?? "direct";
    const { timeoutMs, signal } = options ?? {};
    if (timeoutMs === undefined && signal === undefined) {
      this.timeoutMs = noTimeout;
      return;
    }
    const deadline = new CallDeadline(timeoutMs, signal, (reason) => this.#controller?.abort(reason));
    this.#deadline = deadline;
    this.timeoutMs = () => deadline.remainingMs();
  }

  /** The caller set a deadline or a signal, so waiting for the handler must go through `within`. */
  get limited(): boolean {
    return this.#deadline !== undefined;
  }

  get url(): string {
    return this.origin?.url ?? `direct:/${this.service.typeName}/${this.method.name}`;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(this.#reason);
    else if (this.#deadline?.reason !== undefined) this.#controller.abort(this.#deadline.reason);
    return this.#controller.signal;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.origin?.header() ?? new Headers(this.#options?.headers);
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** Headers that the handler set, if any. */
  get headerSet(): Headers | undefined {
    return this.#responseHeader;
  }

  get trailerSet(): Headers | undefined {
    return this.#responseTrailer;
  }

  get values(): ContextValues {
    this.#values ??= this.#options?.contextValues ?? createContextValues();
    return this.#values;
  }

  /** `work`, unless the caller's deadline or signal comes first. Only its signal informs the handler. */
  async within<T>(work: () => PromiseLike<T> | T): Promise<T> {
    return this.#deadline === undefined ? work() : this.#deadline.within(async () => work());
  }

  /** Passes the handler's headers to a caller that asked for them. */
  showHeader(): void {
    this.#options?.onHeader?.(this.responseHeader);
  }

  /** Ends a successful call. */
  finish(): void {
    this.#options?.onTrailer?.(this.responseTrailer);
    this.#end(undefined);
  }

  /** Ends a failed call and returns the error for its caller. */
  fail(thrown: unknown): ConnectError {
    const error = this.#callerError(thrown);
    this.#end(error);
    return error;
  }

  /** Ends a call whose caller stopped reading. */
  cancel(): void {
    this.#end(new ConnectError("the caller stopped reading", Code.Canceled));
  }

  /** Aborts the handler's signal: its caller no longer waits. */
  abort(reason: unknown): void {
    this.#end(reason);
  }

  #callerError(thrown: unknown): ConnectError {
    const reason = this.#deadline?.reason;
    if (reason !== undefined) return ConnectError.from(reason, Code.Canceled);
    if (thrown instanceof ConnectError) return thrown;
    return new ConnectError("internal error", Code.Internal, undefined, undefined, thrown);
  }

  /** Signals fire at the end of a call too, as over the wire; the deadline's timer goes with them. */
  #end(reason: unknown): void {
    this.#isOver = true;
    this.#reason = reason;
    this.#deadline?.end(reason);
    this.#controller?.abort(reason);
  }
}

const noTimeout = (): undefined => undefined;
