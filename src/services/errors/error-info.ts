/** The machine-readable reason of each error: one `google.rpc.ErrorInfo`, whose reason is a name of `ErrorReason`. */
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReason } from "../../gen/aisle/v1/error_reason_pb.js";
import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";

/** Domain of the reasons in ErrorInfo. */
const ERROR_DOMAIN = "aisle";

export type ReasonName = Exclude<keyof typeof ErrorReason, "ERROR_REASON_UNSPECIFIED">;

export function reasonDetail(reason: ReasonName, metadata: Readonly<Record<string, string>> = {}) {
  return { desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN, metadata: { ...metadata } } };
}

export function retryDetail(retryAfterMs: number) {
  return { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(Math.ceil(retryAfterMs)) } };
}

/** An error with its reason. */
export function refusal(
  text: string,
  code: Code,
  reason: ReasonName,
  metadata: Readonly<Record<string, string>> = {},
): ConnectError {
  return new ConnectError(text, code, undefined, [reasonDetail(reason, metadata)]);
}

/** A message of the request has more bytes than are accepted. */
export function messageTooLarge(maxBytes: number): ConnectError {
  const text = `The message is larger than ${maxBytes} bytes`;
  return refusal(text, Code.ResourceExhausted, "MESSAGE_TOO_LARGE", { max_bytes: String(maxBytes) });
}

/** An answer has more bytes than are sent. */
export function answerTooLarge(maxBytes: number): ConnectError {
  const text = `The answer is larger than ${maxBytes} bytes: ask for less`;
  return refusal(text, Code.ResourceExhausted, "ANSWER_TOO_LARGE", { max_bytes: String(maxBytes) });
}

export function shuttingDown(): ConnectError {
  const details = [retryDetail(RETRY_MS), reasonDetail("SHUTTING_DOWN")];
  return new ConnectError("the server is shutting down", Code.Unavailable, undefined, details);
}

/** When to retry a call that found no server ready for it. */
const RETRY_MS = 1000;

/** The reason of an error that Connect makes, by its code. */
const REASON_OF_CODE: Readonly<Partial<Record<Code, ReasonName>>> = {
  [Code.InvalidArgument]: "MALFORMED_CALL",
  [Code.Unimplemented]: "UNSUPPORTED_CALL",
  [Code.ResourceExhausted]: "MESSAGE_TOO_LARGE",
  [Code.Canceled]: "CALL_CANCELED",
  [Code.Aborted]: "CALL_CANCELED",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Unavailable]: "UNAVAILABLE",
};

/** Connect's texts for messages beyond the limits of its router. */
const TOO_LARGE = /configured (read|write)MaxBytes (\d+)/;

/**
 * The same error, or one with a reason if it has none: Connect's own errors have no details. Its text for a broken
 * binary message comes with INTERNAL, though it is the caller's fault.
 */
export function withReason(error: ConnectError): ConnectError {
  if (error.findDetails(ErrorInfoSchema).length > 0) return error;
  const [, way, maxBytes] = TOO_LARGE.exec(error.rawMessage) ?? [];
  if (way !== undefined) return (way === "read" ? messageTooLarge : answerTooLarge)(Number(maxBytes));
  if (error.code === Code.Internal && error.rawMessage.startsWith("parse binary: "))
    return refusal("The message is not the binary form of the request", Code.InvalidArgument, "MALFORMED_CALL");
  const explained = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  const hasRetry = error.code !== Code.Unavailable || error.findDetails(RetryInfoSchema).length > 0;
  const added = [...(hasRetry ? [] : [retryDetail(RETRY_MS)]), reasonDetail(REASON_OF_CODE[error.code] ?? "INTERNAL")];
  explained.details = [...error.details, ...added];
  return explained;
}
