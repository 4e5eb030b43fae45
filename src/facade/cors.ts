/**
 * CORS by our own lines instead of @fastify/cors: which origins an app takes is known only after its form or JSON is
 * read, long after that plugin has decided, and `Vary` and the exposed headers never change.
 */
import type { FastifyReply } from "fastify";
import { isWebOrigin } from "./origins.js";

const EXPOSED = "x-service-event-id, retry-after, ratelimit, ratelimit-policy, x-request-id";
const ALLOWED_HEADERS = "content-type, idempotency-key, x-request-id, traceparent";
const PREFLIGHT_SECONDS = "86400";

/** Lets a page of `origin` read the answer. `Origin: null` (and nonsense) gets no CORS headers, and `*` is never used. */
export function addCorsHeaders(reply: FastifyReply, origin: string | undefined): void {
  reply.header("vary", "Origin");
  if (origin === undefined || !isWebOrigin(origin)) return;
  reply.header("access-control-allow-origin", origin);
  reply.header("access-control-allow-credentials", "true");
  reply.header("access-control-expose-headers", EXPOSED);
}

/** Answers OPTIONS. It carries no app, so any origin passes; the call itself is checked. */
export function answerPreflight(reply: FastifyReply, origin: string | undefined, methods: string): FastifyReply {
  if (origin !== undefined && isWebOrigin(origin)) {
    reply.header("access-control-allow-methods", methods);
    reply.header("access-control-allow-headers", ALLOWED_HEADERS);
    reply.header("access-control-max-age", PREFLIGHT_SECONDS);
  }
  return reply.code(204).header("allow", methods).send();
}
