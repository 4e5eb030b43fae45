/**
 * Formats of a call that its headers announce: content type and compression. Others are refused before the body is read.
 * Connect would quote what was sent, and reads any body of these types as framed messages.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
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
