import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  type CallOptions,
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  createHandlerContext,
  type HandlerContext,
} from "@connectrpc/connect";
import { unlessAborted } from "./unless-aborted.js";

/** Where a call came from, when that is not this process. */
export interface CallOrigin {
  readonly protocolName: string;
  readonly url: string;
  /** Its headers, made when they are asked for. */
  readonly header: () => Headers;
}

/**
 * What a handler sees of a call that came from the same process. Headers, values and the signal are made when a
 * handler asks for them: nearly none does, and making them all costs ten times the rest of a direct call.
 *
 * A caller's deadline or signal is the exception: then `limited` is true and the library's own context keeps the
 * timer and links the signals.
 */
export class DirectContext implements HandlerContext {
  readonly protocolName: string;
  readonly requestMethod = "POST";
  readonly #options: CallOptions | undefined;
  readonly #limits: ReturnType<typeof createHandlerContext> | undefined;
  #controller: AbortController | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;
  #isOver = false;
  #reason: unknown;

  /** A property, as the interface has it: handlers may take it off the context. */
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
    const limits = createHandlerContext({
      service,
      method,
      protocolName: this.protocolName,
      requestMethod: this.requestMethod,
      url: origin?.url ?? "",
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal !== undefined && { requestSignal: signal }),
    });
    this.#limits = limits;
    this.timeoutMs = () => limits.timeoutMs();
  }

  /** The caller set a deadline or a signal, so that waiting for the handler must go through `within`. */
  get limited(): boolean {
    return this.#limits !== undefined;
  }

  get url(): string {
    return this.origin?.url ?? `direct:/${this.service.typeName}/${this.method.name}`;
  }

  get signal(): AbortSignal {
    if (this.#limits !== undefined) return this.#limits.signal;
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(this.#reason);
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

  /** What the handler set, if it set anything. */
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

  /** `work`, unless the caller's deadline or signal comes first. The handler itself is told by its signal only. */
  async within<T>(work: () => PromiseLike<T> | T): Promise<T> {
    return this.#limits === undefined ? work() : unlessAborted(this.#limits.signal, work);
  }

  /** Shows the caller what the handler set, if the caller asked for it. */
  showHeader(): void {
    this.#options?.onHeader?.(this.responseHeader);
  }

  /** Ends a call that succeeded. */
  finish(): void {
    this.#options?.onTrailer?.(this.responseTrailer);
    this.#end(undefined);
  }

  /** Ends a call that failed and gives the error its caller gets. */
  fail(thrown: unknown): ConnectError {
    const error = this.#callerError(thrown);
    this.#end(error);
    return error;
  }

  /** Ends a call whose caller stopped reading. */
  cancel(): void {
    this.#end(new ConnectError("the caller stopped reading", Code.Canceled));
  }

  /** Tells the handler that nobody waits any more. */
  abort(reason: unknown): void {
    this.#end(reason);
  }

  #callerError(thrown: unknown): ConnectError {
    const signal = this.#limits?.signal;
    if (signal?.aborted) return ConnectError.from(signal.reason, Code.Canceled);
    if (thrown instanceof ConnectError) return thrown;
    return new ConnectError("internal error", Code.Internal, undefined, undefined, thrown);
  }

  /** Signals fire at the end of a call too, as over the wire; the deadline's timer goes with them. */
  #end(reason: unknown): void {
    this.#isOver = true;
    this.#reason = reason;
    this.#limits?.abort(reason);
    this.#controller?.abort(reason);
  }
}

const noTimeout = (): undefined => undefined;
