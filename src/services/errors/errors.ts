import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  AlreadyExists,
  Conflict,
  InvalidArgument,
  NotFound,
  RateLimited,
  RequestIdReused,
  RequestRunning,
  Unauthenticated,
  Unavailable,
} from "../../domain/errors.js";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { type ReasonName, reasonDetail, refusal, retryDetail, withReason } from "./error-info.js";

/**
 * The one table from errors inside to errors that RPC callers see. Each has an ErrorInfo, whose reason is a name of
 * `ErrorReason`.
 *
 * | inside            | code                             | reason, and details besides                |
 * |-------------------|----------------------------------|--------------------------------------------|
 * | InvalidArgument   | INVALID_ARGUMENT                 | INVALID_FIELDS, REQUEST_ID_REUSED; BadRequest with every field |
 * | NotFound          | NOT_FOUND                        | APP_NOT_FOUND and so on                    |
 * | AlreadyExists     | ALREADY_EXISTS                   | APP_EXISTS, IDEMPOTENCY_KEY_REUSED         |
 * | Conflict          | ABORTED or FAILED_PRECONDITION   | its own reason                             |
 * | Unauthenticated   | UNAUTHENTICATED                  | SIGNATURE_UNKNOWN, SIGNATURE_EXPIRED       |
 * | RateLimited       | RESOURCE_EXHAUSTED               | RATE_LIMITED; RetryInfo                    |
 * | Unavailable       | UNAVAILABLE                      | OVERLOADED, UNAVAILABLE, REQUEST_RUNNING; RetryInfo |
 * | caller went away  | CANCELED                         | CALL_CANCELED                              |
 * | anything else     | INTERNAL, text `internal error`  | INTERNAL; the cause goes to the log        |
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError && !isReset(error)) return withReason(error);
  if (error instanceof InvalidArgument) {
    const fieldViolations = error.violations.map(({ field, fault, accepted }) => {
      const reason: ReasonName = fault === "missing" ? "FIELD_MISSING" : "FIELD_INVALID";
      return { field, description: accepted, reason };
    });
    const reason = error instanceof RequestIdReused ? "REQUEST_ID_REUSED" : "INVALID_FIELDS";
    const details = [reasonDetail(reason), { desc: BadRequestSchema, value: { fieldViolations } }];
    return new ConnectError(error.message, Code.InvalidArgument, undefined, details);
  }
  if (error instanceof NotFound) return refusal(error.message, Code.NotFound, `${upper(error.resource)}_NOT_FOUND`);
  if (error instanceof AlreadyExists)
    return refusal(
      error.message,
      Code.AlreadyExists,
      error.resource === "app" ? "APP_EXISTS" : "IDEMPOTENCY_KEY_REUSED",
    );
  if (error instanceof Conflict)
    return refusal(
      error.message,
      error.kind === "aborted" ? Code.Aborted : Code.FailedPrecondition,
      upper(error.reason),
    );
  if (error instanceof Unauthenticated) return refusal(error.message, Code.Unauthenticated, upper(error.reason));
  if (error instanceof RateLimited) {
    const { limit, windowMs } = error.limit;
    const metadata = { limit: String(limit), window_seconds: String(Math.ceil(windowMs / 1000)) };
    return withRetry(error, Code.ResourceExhausted, reasonDetail("RATE_LIMITED", metadata));
  }
  if (error instanceof Unavailable) {
    return withRetry(error, Code.Unavailable, unavailableDetail(error));
  }
  const [text, code] = isHangUp(error)
    ? (["the caller went away", Code.Canceled] as const)
    : (["internal error", Code.Internal] as const);
  return withReason(new ConnectError(text, code, undefined, undefined, error));
}

/** How Node tells that a caller ended the connection in the middle of its own stream. */
const HANG_UPS: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "ABORT_ERR", "EPIPE"]);

function isHangUp(error: unknown): boolean {
  return isReset(error) || (error instanceof Error && "code" in error && HANG_UPS.has(error.code));
}

/** The caller reset its stream by INTERNAL_ERROR or a like code: some clients do so when they give a call up. */
function isReset(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Internal && RESET.test(error.rawMessage);
}

const RESET = /^http\/2 stream closed with error code/;

function upper<T extends string>(text: T): Uppercase<T>;
function upper(text: string): string {
  return text.toUpperCase();
}

function unavailableDetail(error: Unavailable): ReturnType<typeof reasonDetail> {
  if (error instanceof RequestRunning) return reasonDetail("REQUEST_RUNNING");
  return error.shed === undefined ? reasonDetail("UNAVAILABLE") : reasonDetail("OVERLOADED", { limit: error.shed });
}

function withRetry(
  error: RateLimited | Unavailable,
  code: Code,
  reason: ReturnType<typeof reasonDetail>,
): ConnectError {
  const details = [retryDetail(error.retryAfterMs), reason];
  return new ConnectError(error.message, code, undefined, details, error.cause);
}

/** Tells the operator of an error that callers only see as `internal error`. */
export type ReportInternal = (error: unknown) => void;

/** The handler with its errors mapped, and unexpected ones reported. */
export function guarded<A extends unknown[], R>(
  report: ReportInternal,
  handler: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await handler(...args);
    } catch (error) {
      throw reported(report, error);
    }
  };
}

/** The same for a handler that streams its answer. */
export function guardedStream<A extends unknown[], R>(
  report: ReportInternal,
  handler: (...args: A) => AsyncIterable<R>,
): (...args: A) => AsyncGenerator<R> {
  return async function* (...args) {
    try {
      yield* handler(...args);
    } catch (error) {
      throw reported(report, error);
    }
  };
}

/** The error for the caller; a fault of ours is reported. gRPC has INTERNAL for some faults of callers, too. */
export function reported(report: ReportInternal, error: unknown): ConnectError {
  const mapped = toConnectError(error);
  if (mapped.findDetails(ErrorInfoSchema)[0]?.reason === "INTERNAL") report(error);
  return mapped;
}

/** The same error in an answer, for one part of a batch. */
export function statusOf(error: ConnectError): MessageInitShape<typeof StatusSchema> {
  const details = error.details.map((detail) =>
    "desc" in detail
      ? anyPack(detail.desc, create(detail.desc, detail.value))
      : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value },
  );
  return { code: error.code, message: error.rawMessage, details };
}
