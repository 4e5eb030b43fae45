import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { Failure } from "./errors.js";

/** Turns the error of a call into a `Failure` that says what to do; passes other errors on. */
export function callFailure(error: unknown, server: string): unknown {
  if (!(error instanceof ConnectError)) return error;
  return new Failure(callLine(error, server), 1, { cause: error });
}

/** What to do after an error, by its reason. */
const NEXT: ReadonlyMap<string, string> = new Map([
  ["APP_NOT_FOUND", '"aisle app list" shows the apps'],
  ["APP_EXISTS", '"aisle app set" changes it'],
  ["FRAME_CONFIGURATION_NOT_FOUND", '"aisle frame list" shows the frames'],
  ["MODEL_NOT_FOUND", '"aisle model list" shows the models'],
  ["FEED_NOT_FOUND", '"aisle feed list" shows the feeds'],
  ["FEED_FAILED", '"aisle feed list" shows its last result'],
  ["PRODUCT_GROUP_NOT_FOUND", '"aisle group list" shows the groups'],
  ["PRODUCT_NOT_FOUND", '"aisle product list" shows the products'],
  ["HOOK_NOT_FOUND", '"aisle hook set" sets one'],
  ["SIGNING_SECRET_NOT_FOUND", '"aisle signing-secret list" shows them'],
  ["OPERATION_NOT_FOUND", '"aisle operation list" shows them'],
  ["TRAINING_RUNNING", '"aisle operation list" shows it'],
  ["EVALUATION_RUNNING", '"aisle operation list" shows it'],
  ["NOT_ENOUGH_DATA", '"aisle import events" adds some'],
  ["PUBLIC_URL_NOT_SET", "start the server with --public-url"],
]);

function callLine(error: ConnectError, server: string): string {
  if (isConnectionFailure(error)) {
    return `No Aisle server answers at ${server}: start one with "aisle serve", or name one with --server or AISLE_SERVER`;
  }
  if (isCutOff(error)) return `The server at ${server} ended the call before it was done`;
  const text = error.rawMessage.trim();
  const next = NEXT.get(error.findDetails(ErrorInfoSchema)[0]?.reason ?? "");
  if (next !== undefined) return `${text} (${next})`;
  switch (error.code) {
    case Code.NotFound:
      return /\bapp\b/i.test(text) ? `${text} ("aisle app list" shows the apps)` : text || "Not found";
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return `${text} (set AISLE_TOKEN)`;
    case Code.DeadlineExceeded:
      return `The server at ${server} did not answer in time`;
    case Code.Unimplemented:
      return `The server at ${server} does not know this call: is it Aisle's RPC port, of the same version as this command?`;
    case Code.Internal:
    case Code.Unknown:
      return `The call to ${server} failed: ${text || "no reason given"}`;
    default:
      return text || `The call to ${server} failed (${Code[error.code]})`;
  }
}

const CONNECTION_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EPIPE",
  "ERR_HTTP2_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
]);

/** True for an error that may pass by itself: a server that is busy, restarting or unreachable for a moment. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  if (error.code === Code.Unavailable || error.code === Code.ResourceExhausted) return true;
  return isConnectionFailure(error) || isCutOff(error);
}

/** True when the server did not answer within the deadline: it may have done the work. */
export function isLate(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.DeadlineExceeded;
}

/** True when the call reached no server. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ConnectError && isConnectionFailure(error);
}

/** The connection ended during a call. Node reports it only as text. */
function isCutOff(error: ConnectError): boolean {
  return error.code === Code.Canceled || /^(http\/2 )?stream closed with error code/i.test(error.rawMessage);
}

function isConnectionFailure(error: ConnectError): boolean {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string" && CONNECTION_CODES.has(cause.code)) return true;
  }
  return false;
}
