import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { compressionHeaders, compressionOf } from "./call-format.js";
import { grpcTimeoutMs, isGrpcTimeout } from "./grpc-timeout.js";

/** Stands for a malformed timeout. */
const NO_TIME = "not a time";

/**
 * The same request with a malformed timeout marked as such, one that is too long as the longest, and its compression as
 * Connect writes it: Connect would refuse a long timeout, and its errors quote what they refuse.
 */
export function withPlainHeaders(request: UniversalServerRequest, longestMs: number): UniversalServerRequest {
  const { header } = request;
  const bounded = (ms: number) => Math.min(Math.ceil(ms), longestMs);
  const grpc = header.get("grpc-timeout");
  if (grpc !== null) header.set("grpc-timeout", isGrpcTimeout(grpc) ? `${bounded(grpcTimeoutMs(grpc))}m` : NO_TIME);
  const connect = header.get("connect-timeout-ms");
  if (connect !== null)
    header.set("connect-timeout-ms", /^\d{1,15}$/.test(connect) ? `${bounded(Number(connect))}` : NO_TIME);
  const { sent } = compressionHeaders(header.get("content-type") ?? "");
  const compression = header.get(sent);
  if (compression !== null) header.set(sent, compressionOf(compression) ?? "unknown");
  if (request.method !== "GET") return request;
  const url = new URL(request.url);
  const asked = url.searchParams.get("compression");
  if (asked === null) return request;
  url.searchParams.set("compression", compressionOf(asked) ?? "unknown");
  return { ...request, url: url.href };
}
