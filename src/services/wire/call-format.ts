/**
 * What the headers of a call announce: content type, compression and timeout. Other formats are refused before the body is read.
 * Connect would quote what was sent, and reads any body of these types as framed messages.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { refusal } from "../errors/error-info.js";

/** Content types whose bodies are messages with a prefix each. */
const ENVELOPED = /^application\/(grpc|connect\+)/i;
/** gRPC-Web in base64, which no current client needs. */
const WEB_TEXT = /^application\/grpc-web-text/i;

/** Whether the body of an accepted call consists of messages with a prefix each. */
export function isEnveloped(contentType: string): boolean {
  return ENVELOPED.test(contentType) && !WEB_TEXT.test(contentType);
}

const ANY_RPC = "application/grpc, application/grpc+json, application/grpc-web, application/grpc-web+json";

/** The content types of an RPC, as errors write them. */
export function contentTypesOf({ methodKind }: DescMethod): string {
  const own = methodKind === "unary" ? "application/" : "application/connect+";
  return `${own}json, ${own}proto, ${ANY_RPC}`;
}

/** Names of compressions for Connect, by what a caller may send. */
const COMPRESSIONS: ReadonlyMap<string, string> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["br", "br"],
  ["identity", "identity"],
  ["", "identity"],
]);

/** Compressions that an error may repeat to its caller. Any other text could be somebody's data. */
const KNOWN: ReadonlySet<string> = new Set(
  "deflate zlib zstd snappy lz4 compress x-compress bzip2 lzma xz zip dcb dcz aes128gcm".split(" "),
);

/** Connect's name of a compression; undefined when it is not accepted. */
export function compressionOf(sent: string): string | undefined {
  return COMPRESSIONS.get(sent.trim().toLowerCase());
}

const GRPC_ENCODING = "grpc-encoding";

/** Where each protocol announces its compression, and what it accepts. */
export function compressionHeaders(contentType: string): { readonly sent: string; readonly accepted: string } {
  if (/^application\/grpc/i.test(contentType)) return { sent: GRPC_ENCODING, accepted: "grpc-accept-encoding" };
  if (/^application\/connect\+/i.test(contentType))
    return { sent: "connect-content-encoding", accepted: "connect-accept-encoding" };
  return { sent: "content-encoding", accepted: "accept-encoding" };
}

/** For a call with these headers: the error for a message that is flagged as compressed, unless the call names a compression. */
export function uncompressed(
  contentType: string,
  headerOf: (name: string) => string | null | undefined,
): (() => ConnectError) | undefined {
  const { sent } = compressionHeaders(contentType);
  if (compressionOf(headerOf(sent) ?? "") !== "identity") return undefined;
  // gRPC's rules of compression require INTERNAL for it.
  const code = sent === GRPC_ENCODING ? Code.Internal : Code.InvalidArgument;
  const text = `The message is flagged as compressed, and ${sent} names no compression: accepted are gzip and br`;
  return () => refusal(text, code, "MALFORMED_CALL");
}

/** What Connect's headers of accepted compressions hold. */
export const ACCEPTED_COMPRESSIONS = "gzip,br";

/** The error for a compression that is not accepted. `place` is the header or parameter that names it. */
export function compressionFault(place: string, sent: string | null | undefined): ConnectError | undefined {
  if (sent === null || sent === undefined || compressionOf(sent) !== undefined) return undefined;
  const name = sent.trim().toLowerCase();
  const what = KNOWN.has(name) ? `unknown compression ${name}` : "unknown compression";
  const text = `${what} in ${place}: accepted are gzip, br and identity`;
  return refusal(text, Code.Unimplemented, "UNSUPPORTED_CALL");
}

/** Whether messages of this method go to many callers: each would compress them anew, so they are sent as they are. */
export function isWatch({ name }: DescMethod): boolean {
  return name.startsWith("Watch");
}

/** A timeout as gRPC writes it: digits and a unit. The protocol has eight digits; clients of Connect write more. */
const TIMEOUT = /^\d{1,15}[HMSmun]$/;

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000001 };

export function isGrpcTimeout(value: unknown): value is string {
  return typeof value === "string" && TIMEOUT.test(value);
}

export function grpcTimeoutMs(value: string): number {
  return Number(value.slice(0, -1)) * (UNIT_MS[value.slice(-1)] ?? Number.NaN);
}

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
