import type { FastifyReply } from "fastify";
import type { Failure, Operation } from "./errors.js";
import { addRateLimitHeaders } from "./rate-limit.js";

/** Sends JSON that is already text. */
export function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(json);
}

/** `{"error": text}`: the shape of every error outside /subscription_status. */
export function sendError(reply: FastifyReply, status: number, text: string): FastifyReply {
  return sendJson(reply, status, JSON.stringify({ error: text }));
}

/** Sends a failure in the format of its operation. */
export function sendFailure(reply: FastifyReply, operation: Operation | undefined, failure: Failure): FastifyReply {
  if (failure.rateLimit !== undefined) addRateLimitHeaders(reply, failure.rateLimit);
  if (failure.status === 401) reply.header("www-authenticate", "Aisle-Signature"); // RFC 9110 wants a scheme
  if (failure.retryAfterSeconds > 0) reply.header("retry-after", String(failure.retryAfterSeconds));
  return operation === "subscription_status"
    ? sendJson(reply, failure.status, JSON.stringify({ identified: false, status: null, message: failure.text }))
    : sendError(reply, failure.status, failure.text);
}
