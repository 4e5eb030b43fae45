/**
 * The one table from failures to answers of REST. A caller never sees a stack, a value it sent, or a text that is not
 * written here.
 *
 * | failure                          | subscription_status | trace               | recommend           |
 * |----------------------------------|---------------------|---------------------|---------------------|
 * | Refused (by the facade itself)   | its own status and text                                         |
 * | INVALID_ARGUMENT, field missing  | 400 Missing required parameter / field: name                    |
 * | INVALID_ARGUMENT, field invalid  | 400 Invalid parameter / field: name                             |
 * | NOT_FOUND of the app             | 400 Invalid app_id  | 400 Invalid app_id  | 400 Invalid appId   |
 * | ALREADY_EXISTS                   | 500                 | 422                 | 500                 |
 * | UNAUTHENTICATED, of a signature  | 500                 | 401, WWW-Authenticate | 500                 |
 * | RESOURCE_EXHAUSTED               | 500                 | 429, Retry-After, RateLimit | 500, Retry-After    |
 * | UNAVAILABLE, ABORTED, DEADLINE   | 500                 | 503, Retry-After    | 500, Retry-After    |
 * | anything else                    | 500                 | 500                 | 500                 |
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { type RateLimit, reachedLimit } from "./rate-limit.js";
import { wholeSeconds } from "./times.js";

export type Operation = "subscription_status" | "trace" | "recommend";

/** The answer to a failed call. `retryAfterSeconds` 0 means no Retry-After. */
export interface Failure {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number;
  /** The limit that the caller has reached, if its answer names it. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Names of the headers of a signed event, as errors write them. */
const SIGNATURE_HEADERS = {
  id: "X-Aisle-Id",
  timestamp: "X-Aisle-Timestamp",
  signatures: "X-Aisle-Signature",
} as const;

/** The header of an idempotency key, as errors write it. */
export const KEY_HEADER = "Idempotency-Key";

/** A request the facade itself refuses. `text` is for the caller: it names fields and never quotes values. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(text);
    this.name = "Refused";
  }
}

interface Wording {
  /** This operation's word for a field. */
  readonly noun: "field" | "parameter";
  readonly appId: string;
  /** From the message's field paths to the operation's names; `*` stands for an index. */
  readonly names: ReadonlyMap<string, string>;
  readonly unavailable: { readonly status: number; readonly text: string; readonly retry: boolean };
  readonly limited: { readonly status: number; readonly text: string; readonly retry: boolean };
  readonly reused: { readonly status: number; readonly text: string };
  readonly internal: string;
}

export const TEXT = {
  statusFailed: "An error occurred while processing the request",
  unavailable: "Service temporarily unavailable",
  internal: "Internal server error",
  limited: "Rate limit exceeded",
  signatureUnknown: `Unknown signature in header: ${SIGNATURE_HEADERS.signatures}`,
  signatureExpired: `Expired header: ${SIGNATURE_HEADERS.timestamp}, within 5 minutes is accepted`,
  keyReused: "Idempotency key was used with another body",
  originNotAllowed: "Origin not allowed",
  invalidJson: "Invalid JSON",
  invalidBody: "Invalid body",
  brokenCoding: "Invalid body: it cannot be decoded by its Content-Encoding",
  tooLarge: "Request body too large",
  headerTooLarge: "Request header too large",
  unsupportedType: "Unsupported content type",
  unsupportedCoding: "Unsupported Content-Encoding: accepted are gzip, deflate, br and identity",
  notFound: "Not found",
  methodNotAllowed: "Method not allowed",
  badRequest: "Bad request",
  timeout: "Request timeout",
  stopping: "Stopping",
  notReady: "Not ready",
} as const;

const WORDING: Readonly<Record<Operation, Wording>> = {
  subscription_status: {
    noun: "parameter",
    appId: "app_id",
    names: new Map([
      ["visitor", "fpcid"],
      ["visitor.fingerprint_id", "fpcid"],
    ]),
    unavailable: { status: 500, text: TEXT.statusFailed, retry: false },
    limited: { status: 500, text: TEXT.statusFailed, retry: false },
    reused: { status: 500, text: TEXT.statusFailed },
    internal: TEXT.statusFailed,
  },
  trace: {
    noun: "field",
    appId: "app_id",
    names: new Map([
      ["event.action_type", "action_type"],
      ["event.products", "product_ids"],
      ["event.categories", "product_category_ids"],
      ["event.order", "order_id"],
      ["event.order.order_id", "order_id"],
      ["event.contact", "email"],
      ["event.contact.email", "email"],
      ["event.contact.phone", "phone"],
      ["event.visitor", "c_id"],
      ["idempotency_key", "idempotency_key"],
      ["signature.id", SIGNATURE_HEADERS.id],
      ["signature.timestamp", SIGNATURE_HEADERS.timestamp],
      ["signature.signatures", SIGNATURE_HEADERS.signatures],
    ]),
    unavailable: { status: 503, text: TEXT.unavailable, retry: true },
    limited: { status: 429, text: TEXT.limited, retry: true },
    reused: { status: 422, text: TEXT.keyReused },
    internal: TEXT.internal,
  },
  recommend: {
    noun: "field",
    appId: "appId",
    names: new Map([
      ["interactions", "productInteractions"],
      ["interactions[*]", "productInteractions[*]"],
      ["interactions[*].type", "productInteractions[*].productInteractionType"],
      ["interactions[*].product_id", "productInteractions[*].productId"],
      ["interactions[*].sku", "productInteractions[*].productSku"],
      ["interactions[*].interaction_time", "productInteractions[*].utcInteractionDate"],
      ["frame_interactions", "recommendFrameInteractions"],
      ["frame_interactions[*]", "recommendFrameInteractions[*]"],
      ["frame_interactions[*].frame_id", "recommendFrameInteractions[*].trackerProductGroupId"],
      ["frame_interactions[*].interaction_time", "recommendFrameInteractions[*].utcInteractionDate"],
      ["current_product_ids", "currentProductIds"],
      ["current_skus", "currentProductSkus"],
      ["current_category_ids", "currentCategoryIds"],
      ["frame_id", "marketingMachineFrameConfigurationId"],
      ["frame_ids", "frames"],
      ["filter", "filterByGroups"],
      ["filter.any_group_ids", "filterByGroups"],
      ["client_version", "version"],
    ]),
    unavailable: { status: 500, text: TEXT.unavailable, retry: true },
    limited: { status: 500, text: TEXT.unavailable, retry: true },
    reused: { status: 500, text: TEXT.internal },
    internal: TEXT.internal,
  },
};

/** `Missing required field: app_id`, in the words of the operation. `name` is the operation's own name. */
export function missing(operation: Operation, name: string): Refused {
  return new Refused(400, `Missing required ${nounOf(operation, name)}: ${name}`);
}

/** `Invalid app_id`, in the words of the operation: the app does not exist. */
export function invalidApp(operation: Operation): Refused {
  return new Refused(400, `Invalid ${WORDING[operation].appId}`);
}

/** `Invalid field: productInteractions[3]`. `name` is the operation's own name. */
export function invalid(operation: Operation, name: string): Refused {
  return new Refused(400, `Invalid ${nounOf(operation, name)}: ${name}`);
}

function nounOf(operation: Operation, name: string): string {
  return name.startsWith("X-") || name === KEY_HEADER ? "header" : WORDING[operation].noun;
}

/** The answer to `error` on `operation`. The caller also logs a 500. */
export function failureOf(operation: Operation, error: unknown): Failure {
  if (error instanceof Refused) return { status: error.status, text: error.text, retryAfterSeconds: 0 };
  const wording = WORDING[operation];
  if (error instanceof ConnectError) {
    switch (error.code) {
      case Code.InvalidArgument:
        return plain(invalidArgument(operation, error));
      case Code.NotFound:
        if (reasonOf(error) === "APP_NOT_FOUND") return plain(invalidApp(operation));
        break;
      case Code.AlreadyExists:
        return { ...wording.reused, retryAfterSeconds: 0 };
      case Code.Unauthenticated:
        // Other reasons mean that the facade lacks the services' token, which is not the caller's fault.
        if (operation === "trace" && reasonOf(error) === "SIGNATURE_UNKNOWN") return unproven(TEXT.signatureUnknown);
        if (operation === "trace" && reasonOf(error) === "SIGNATURE_EXPIRED") return unproven(TEXT.signatureExpired);
        break;
      case Code.ResourceExhausted:
        return limited(wording.limited, error);
      case Code.Unavailable:
      case Code.Aborted:
      case Code.DeadlineExceeded:
        return withRetry(wording.unavailable, error);
    }
  }
  return { status: 500, text: wording.internal, retryAfterSeconds: 0 };
}

function unproven(text: string): Failure {
  return { status: 401, text, retryAfterSeconds: 0 };
}

function plain(refused: Refused): Failure {
  return { status: refused.status, text: refused.text, retryAfterSeconds: 0 };
}

function invalidArgument(operation: Operation, error: ConnectError): Refused {
  const violation = error.findDetails(BadRequestSchema)[0]?.fieldViolations[0];
  if (violation === undefined) return new Refused(400, TEXT.badRequest);
  const isMissing = violation.reason === "FIELD_MISSING";
  const { appId } = WORDING[operation];
  if (violation.field === "app_id") return isMissing ? missing(operation, appId) : invalidApp(operation);
  const name = ownName(operation, violation.field);
  if (name === undefined) return new Refused(400, TEXT.badRequest);
  return isMissing ? missing(operation, name) : invalid(operation, name);
}

/** Whether a call was refused for its idempotency key, which may have come in a field or a header. */
export function isKeyRefused(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return false;
  return error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field === "idempotency_key";
}

/** The operation's name of a message's field, with its index. */
function ownName(operation: Operation, path: string): string | undefined {
  const index = /\[(\d+)\]/.exec(path)?.[1];
  const name = WORDING[operation].names.get(path.replace(/\[\d+\]/, "[*]"));
  return index === undefined ? name : name?.replace("[*]", `[${index}]`);
}

function reasonOf(error: ConnectError): string {
  return error.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
}

/** In whole seconds, at least one: Retry-After has no fractions. */
function withRetry(answer: { status: number; text: string; retry: boolean }, error: ConnectError): Failure {
  if (!answer.retry) return { status: answer.status, text: answer.text, retryAfterSeconds: 0 };
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return { status: answer.status, text: answer.text, retryAfterSeconds: Math.max(1, wholeSeconds(delay)) };
}

function limited(answer: { status: number; text: string; retry: boolean }, error: ConnectError): Failure {
  const failure = withRetry(answer, error);
  if (failure.status !== 429) return failure;
  return { ...failure, rateLimit: reachedLimit(error, failure.retryAfterSeconds) };
}
