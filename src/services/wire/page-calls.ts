/**
 * RPCs of pages of other origins that an operator has named (Fetch standard, "CORS protocol"). Tokens stand in a header of
 * their own, so browsers need not send cookies.
 */
import { cors } from "@connectrpc/connect";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";

/** Connect's lists have what Connect and gRPC-Web send and read. */
const ALLOWED_HEADERS = [
  ...cors.allowedHeaders,
  "Authorization",
  "Traceparent",
  "Tracestate",
  "Baggage",
  "Sentry-Trace",
].join(", ");
const EXPOSED_HEADERS = cors.exposedHeaders.join(", ");
/** Seconds for which a browser keeps the answer to a preflight; Chrome's maximum. */
const PREFLIGHT_SECONDS = "7200";

export interface PageCalls {
  /** Opens the answer to the page of an RPC. Returns false, and does nothing, when its origin is not allowed. */
  admit(request: NodeRequest, response: NodeResponse): boolean;
  /** Answers a preflight of an admitted page; otherwise returns false and does nothing. It has no token. */
  answerPreflight(request: NodeRequest, response: NodeResponse): boolean;
}

export function createPageCalls(origins: readonly string[]): PageCalls {
  const allowed = new Set<string | undefined>(origins);
  return {
    admit(request, response) {
      const { origin } = request.headers;
      if (origin === undefined || !allowed.has(origin)) return false;
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
      response.setHeader("vary", "Origin");
      return true;
    },
    answerPreflight(request, response) {
      if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
      response.setHeader("access-control-allow-methods", cors.allowedMethods.join(", "));
      response.setHeader("access-control-allow-headers", ALLOWED_HEADERS);
      response.setHeader("access-control-max-age", PREFLIGHT_SECONDS);
      response.statusCode = 204;
      response.end();
      return true;
    },
  };
}
