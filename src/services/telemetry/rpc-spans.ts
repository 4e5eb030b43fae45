import type { Interceptor } from "@connectrpc/connect";
import type { Span, SpanKind, TraceHeaders, Tracer } from "../../adapters/tracer.js";
import { methodName } from "./rpc-methods.js";
import { codeName } from "./rpc-metrics.js";

/** Around each call that comes in; it continues its caller's trace. Calls of health and reflection have no span. */
export function createServerSpans(tracer: Tracer): Interceptor {
  return spansAround(tracer, "server", (header) => ({
    traceparent: header.get("traceparent") ?? undefined,
    tracestate: header.get("tracestate") ?? undefined,
  }));
}

/** A span around each call to another process. The call carries the trace. */
export function createClientSpans(tracer: Tracer): Interceptor {
  return spansAround(tracer, "client", () => undefined);
}

function spansAround(
  tracer: Tracer,
  kind: SpanKind,
  callerOf: (header: Headers) => TraceHeaders | undefined,
): Interceptor {
  return (next) => async (request) => {
    const { service, method, header } = request;
    if (!service.typeName.startsWith("aisle.")) return next(request);
    const caller = callerOf(header);
    const span = tracer.start(methodName(method), {
      kind,
      ...(caller !== undefined && { caller }),
      attributes: { "rpc.service": service.typeName, "rpc.method": method.name },
    });
    if (kind === "client") tell(header, span.headers);
    const ended = (code: string) => {
      if (code !== "ok") span.set("rpc.connect_rpc.error_code", code);
      span.end(FAULTS.has(code) ? "failed" : "ok");
    };
    try {
      const answer = await span.within(() => next(request));
      if (answer.stream) return { ...answer, message: withinSpan(span, answer.message, ended) };
      ended("ok");
      return answer;
    } catch (error) {
      ended(codeName(error));
      throw error;
    }
  };
}

/** Codes that are the server's fault, not the caller's. */
const FAULTS: ReadonlySet<string> = new Set([
  "unknown",
  "deadline_exceeded",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
]);

function tell(header: Headers, { traceparent, tracestate }: TraceHeaders): void {
  if (traceparent !== undefined) header.set("traceparent", traceparent);
  if (tracestate !== undefined) header.set("tracestate", tracestate);
}

/** The messages of a stream, each made within the span, which ends with the last one. */
async function* withinSpan<T>(
  span: Span,
  messages: AsyncIterable<T>,
  ended: (code: string) => void,
): AsyncGenerator<T, void, undefined> {
  const iterator = span.within(() => messages[Symbol.asyncIterator]());
  let code = "canceled";
  let isOver = false;
  try {
    for (;;) {
      const next = await span.within(() => iterator.next());
      if (next.done === true) break;
      yield next.value;
    }
    isOver = true;
    code = "ok";
  } catch (error) {
    isOver = true;
    code = codeName(error);
    throw error;
  } finally {
    if (!isOver) await iterator.return?.();
    ended(code);
  }
}
