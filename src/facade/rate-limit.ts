/**
 * Tells backend senders the rest of their limit, by the header fields of draft-ietf-httpapi-ratelimit-headers
 * (structured fields, RFC 9651):
 *
 *   RateLimit-Policy: "server";q=100;w=1     a quota of 100 within 1 s
 *   RateLimit: "server";r=57;t=1             57 left; the quota is whole again after 1 s
 */
import { Code, ConnectError } from "@connectrpc/connect";
import type { FastifyReply } from "fastify";
import type { SenderAllowance } from "../gen/aisle/v1/event_service_pb.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { wholeSeconds } from "./times.js";

const POLICY = '"server"';

/** The remaining quota. Seconds are whole, rounded up. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The remaining quota after an accepted event. */
export function rateLimitOf(allowance: SenderAllowance): RateLimit {
  const { limit, remaining, window, resetDelay: resetAfter } = allowance;
  return { limit, remaining, windowSeconds: wholeSeconds(window), resetSeconds: wholeSeconds(resetAfter) };
}

/** The limit that `error` reports as exceeded; undefined for other errors. */
export function reachedLimit(error: unknown, retryAfterSeconds: number): RateLimit | undefined {
  if (!(error instanceof ConnectError) || error.code !== Code.ResourceExhausted) return undefined;
  const metadata = new Map(Object.entries(error.findDetails(ErrorInfoSchema)[0]?.metadata ?? {}));
  const limit = Number(metadata.get("limit") ?? Number.NaN);
  const windowSeconds = Number(metadata.get("window_seconds") ?? Number.NaN);
  if (!Number.isSafeInteger(limit) || !Number.isSafeInteger(windowSeconds)) return undefined;
  return { limit, windowSeconds, remaining: 0, resetSeconds: retryAfterSeconds };
}

export function addRateLimitHeaders(reply: FastifyReply, rate: RateLimit): void {
  reply.header("ratelimit-policy", `${POLICY};q=${rate.limit};w=${Math.max(1, rate.windowSeconds)}`);
  reply.header("ratelimit", `${POLICY};r=${rate.remaining};t=${rate.resetSeconds}`);
}
