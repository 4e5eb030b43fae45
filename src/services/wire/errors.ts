import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  AlreadyExists,
  Conflict,
  InvalidArgument,
  NotFound,
  RateLimited,
  Unauthenticated,
  Unavailable,
} from "../../domain/errors.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";

/** Domain of the machine-readable reasons in ErrorInfo. */
export const ERROR_DOMAIN = "aisle";

/**
 * The one table from errors inside to errors that RPC callers see.
 *
 * | inside            | code                             | details                                    |
 * |-------------------|----------------------------------|--------------------------------------------|
 * | InvalidArgument   | INVALID_ARGUMENT                 | BadRequest: field path, MISSING or INVALID |
 * | NotFound          | NOT_FOUND                        | ErrorInfo: APP_NOT_FOUND and so on         |
 * | AlreadyExists     | ALREADY_EXISTS                   | ErrorInfo: APP_EXISTS, IDEMPOTENCY_KEY_REUSED |
 * | Conflict          | ABORTED or FAILED_PRECONDITION   | ErrorInfo: ABORTED, PRECONDITION           |
 * | Unauthenticated   | UNAUTHENTICATED                  | ErrorInfo: SIGNATURE_UNKNOWN, SIGNATURE_EXPIRED |
 * | RateLimited       | RESOURCE_EXHAUSTED               | RetryInfo, ErrorInfo: RATE_LIMITED, `limit` and `window_seconds` |
 * | Unavailable       | UNAVAILABLE                      | RetryInfo                                  |
 * | caller went away  | CANCELED                         | none                                       |
 * | anything else     | INTERNAL, text `internal error`  | none; the cause goes to the log            |
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof InvalidArgument) {
    const violation: MessageInitShape<typeof BadRequestSchema> = {
      fieldViolations: [
        { field: error.field, description: error.accepted, reason: error.fault === "missing" ? "MISSING" : "INVALID" },
      ],
    };
    return new ConnectError(error.message, Code.InvalidArgument, undefined, [
      { desc: BadRequestSchema, value: violation },
    ]);
  }
  if (error instanceof NotFound) return withReason(error, Code.NotFound, `${error.resource.toUpperCase()}_NOT_FOUND`);
  if (error instanceof AlreadyExists)
    return withReason(error, Code.AlreadyExists, error.resource === "app" ? "APP_EXISTS" : "IDEMPOTENCY_KEY_REUSED");
  if (error instanceof Conflict)
    return error.kind === "aborted"
      ? withReason(error, Code.Aborted, "ABORTED")
      : withReason(error, Code.FailedPrecondition, "PRECONDITION");
  if (error instanceof Unauthenticated) return withReason(error, Code.Unauthenticated, error.reason.toUpperCase());
  if (error instanceof RateLimited) {
    const { limit, windowMs } = error.limit;
    const metadata = { limit: String(limit), window_seconds: String(Math.ceil(windowMs / 1000)) };
    return withRetry(error, Code.ResourceExhausted, { reason: "RATE_LIMITED", metadata });
  }
  if (error instanceof Unavailable) return withRetry(error, Code.Unavailable, { reason: "UNAVAILABLE" });
  if (isHangUp(error)) return new ConnectError("the caller went away", Code.Canceled, undefined, undefined, error);
  return new ConnectError("internal error", Code.Internal, undefined, undefined, error);
}

/** How Node tells that a caller ended the connection in the middle of its own stream. */
const HANG_UPS: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "ABORT_ERR", "EPIPE"]);

function isHangUp(error: unknown): boolean {
  return error instanceof Error && "code" in error && HANG_UPS.has(error.code);
}

function withReason(error: Error, code: Code, reason: string): ConnectError {
  return new ConnectError(error.message, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN } },
  ]);
}

function withRetry(
  error: RateLimited | Unavailable,
  code: Code,
  info: MessageInitShape<typeof ErrorInfoSchema>,
): ConnectError {
  return new ConnectError(
    error.message,
    code,
    undefined,
    [
      { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(Math.ceil(error.retryAfterMs)) } },
      { desc: ErrorInfoSchema, value: { ...info, domain: ERROR_DOMAIN } },
    ],
    error.cause,
  );
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

function reported(report: ReportInternal, error: unknown): ConnectError {
  const mapped = toConnectError(error);
  if (mapped.code === Code.Internal) report(error);
  return mapped;
}
