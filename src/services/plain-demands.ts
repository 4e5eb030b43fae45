import type { UniversalServerRequest } from "@connectrpc/connect/protocol";

/** What a header may hold, by its name. Connect's answers to other values quote them. */
const TIMEOUTS: ReadonlyMap<string, RegExp> = new Map([
  ["grpc-timeout", /^\d{1,8}[HMSmun]$/],
  ["connect-timeout-ms", /^\d{1,10}$/],
]);
const ENCODINGS = ["grpc-encoding", "connect-content-encoding", "content-encoding"];
const KNOWN_ENCODINGS: ReadonlySet<string> = new Set(["gzip", "br", "identity"]);

/** The same request, in which a timeout that is none says so and an encoding we do not know is called `unknown`. */
export function withPlainDemands(request: UniversalServerRequest): UniversalServerRequest {
  const { header } = request;
  for (const [name, pattern] of TIMEOUTS) {
    const value = header.get(name);
    if (value !== null && !pattern.test(value)) header.set(name, "not a time");
  }
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
