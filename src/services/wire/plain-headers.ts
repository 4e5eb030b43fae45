import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { grpcTimeoutMs, isGrpcTimeout } from "./grpc-timeout.js";

/** Stands for a malformed timeout. */
const NO_TIME = "not a time";
const ENCODINGS = ["grpc-encoding", "connect-content-encoding", "content-encoding"];
const KNOWN_ENCODINGS: ReadonlySet<string> = new Set(["gzip", "br", "identity"]);

/**
 * The same request with a malformed timeout marked as such, one that is too long as the longest, and an unknown encoding
 * named `unknown`: Connect would refuse a long timeout, and its errors quote what they refuse.
 */
export function withPlainHeaders(request: UniversalServerRequest, longestMs: number): UniversalServerRequest {
  const { header } = request;
  const bounded = (ms: number) => Math.min(Math.ceil(ms), longestMs);
  const grpc = header.get("grpc-timeout");
  if (grpc !== null) header.set("grpc-timeout", isGrpcTimeout(grpc) ? `${bounded(grpcTimeoutMs(grpc))}m` : NO_TIME);
  const connect = header.get("connect-timeout-ms");
  if (connect !== null)
    header.set("connect-timeout-ms", /^\d{1,15}$/.test(connect) ? `${bounded(Number(connect))}` : NO_TIME);
  for (const name of ENCODINGS) {
    const value = header.get(name);
    if (value !== null && !KNOWN_ENCODINGS.has(value)) header.set(name, "unknown");
  }
  if (request.method !== "GET") return request;
  const url = new URL(request.url);
  const compression = url.searchParams.get("compression");
  if (compression === null || KNOWN_ENCODINGS.has(compression)) return request;
  url.searchParams.set("compression", "unknown");
  return { ...request, url: url.href };
}
