/**
 * Encodes text for `grpc-message`: percent-encoded where it is not printable ASCII or is `%`, and nowhere else (gRPC
 * over HTTP/2, "Percent-Encoded"). Connect encodes more, which grpc-js does not undo: its callers would read `Missing
 * required field%3A app_id`.
 */
export function encodeGrpcMessage(text: string): string {
  return encodeURIComponent(text).replace(/%(?!25)[2-7][0-9A-F]/g, (escaped) =>
    escaped === "%7F" ? escaped : decodeURIComponent(escaped),
  );
}

/** The same headers with `grpc-message` encoded so. */
export function withPlainMessage(headers: Headers): Headers {
  const message = headers.get("grpc-message");
  if (!message) return headers;
  const plain = new Headers(headers);
  plain.set("grpc-message", encodeGrpcMessage(decodeURIComponent(message)));
  return plain;
}
