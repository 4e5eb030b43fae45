import type { FastifyReply, FastifyRequest } from "fastify";
import type { Tracer } from "../adapters/tracer.js";
import type { Operation } from "./errors.js";

type Listener = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Wraps the listener in a span for each request, which continues the caller's trace. Without a tracer it returns the
 * listener itself. Spans contain the operation and the status, and no request data.
 */
export function inSpan(tracer: Tracer | undefined, operation: Operation, listener: Listener): Listener {
  if (tracer === undefined) return listener;
  return (request, reply) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? "";
    const span = tracer.start(`${method} ${route}`, {
      kind: "server",
      caller: { traceparent: oneOf(headers.traceparent), tracestate: oneOf(headers.tracestate) },
      attributes: { "aisle.operation": operation, "http.request.method": method, "http.route": route },
    });
    reply.raw.once("close", () => {
      span.set("http.response.status_code", reply.statusCode);
      span.end(reply.statusCode >= 500 ? "failed" : "ok");
    });
    span.within(() => listener(request, reply));
  };
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
