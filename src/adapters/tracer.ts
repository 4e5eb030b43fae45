/** The trace of a call between processes: the headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** A piece of work under way. Its attributes are closed sets; never ids, never personal data. */
export interface Span {
  /** For the next process; empty if the span is not recorded and the caller sent no trace. */
  readonly headers: TraceHeaders;
  set(name: string, value: string | number): void;
  /** Runs `work` so that the spans it starts are within this one. */
  within<T>(work: () => T): T;
  end(outcome: "ok" | "failed"): void;
}

/** Internal work, an incoming call, or a call to another process. */
export type SpanKind = "internal" | "server" | "client";

export interface SpanStart {
  readonly kind?: SpanKind;
  /** The trace of the caller in another process; malformed headers count as none. */
  readonly caller?: TraceHeaders;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** Traces for the operator. Without tracing there is no tracer, and calls cost nothing extra. */
export interface Tracer {
  /** Starts a span within the one under way. */
  start(name: string, options?: SpanStart): Span;
}

/** `work` with a span around each of its calls; `work` itself where there is no tracer. */
export function traced<A extends unknown[], R>(
  tracer: Tracer | undefined,
  name: string,
  work: (...args: A) => R,
): (...args: A) => R {
  return tracer === undefined ? work : (...args) => spanOf(tracer, name, () => work(...args));
}

/** Runs `work` in a span that ends with it, at once or when its promise settles. */
export function spanOf<R>(tracer: Tracer, name: string, work: () => R): R {
  const span = tracer.start(name);
  return span.within(() => {
    let result: R;
    try {
      result = work();
    } catch (error) {
      span.end("failed");
      throw error;
    }
    if (result instanceof Promise)
      result.then(
        () => span.end("ok"),
        // the caller gets the error
        () => span.end("failed"),
      );
    else span.end("ok");
    return result;
  });
}
