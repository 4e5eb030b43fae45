/**
 * The one table from failures to answers of REST. A caller never sees a stack, a value it sent, or a text that is not
 * written here.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { rateLimitHeaders } from "./rate-limit.js";
import { wholeSeconds } from "./times.js";

export type Operation = "subscription_status" | "trace" | "recommend";

/** The answer to a failed call. */
export interface Failure {
  readonly status: number;
  readonly text: string;
  /** Besides those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
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
export class Refused extends Error implements Failure {
  constructor(
    readonly status: number,
    readonly text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
    this.name = "Refused";
  }
}

/** The answer to a failure behind the call. */
interface Answer extends Failure {
  /** It has Retry-After. */
  readonly mayRetry?: true;
}

interface Wording {
  /** This operation's word for a field. */
  readonly noun: "field" | "parameter";
  readonly appId: string;
  /** From the message's field paths to the operation's names; `*` stands for an index. */
  readonly names: ReadonlyMap<string, string>;
  /** By the code of a failure, or by its reason. Every other one is 500 with the text `internal`. */
  readonly answers: ReadonlyMap<Code | string, Answer>;
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

const BUSY: Answer = { status: 500, text: TEXT.unavailable, mayRetry: true };
/** RFC 9110, 11.6.1: a 401 names a scheme. */
const SIGN = { "www-authenticate": "Aisle-Signature" };

/** The answer of a service that is away for a while. */
function away(answer: Answer): [Code, Answer][] {
  return [Code.Unavailable, Code.Aborted, Code.DeadlineExceeded].map((code) => [code, answer]);
}

const WORDING: Readonly<Record<Operation, Wording>> = {
  subscription_status: {
    noun: "parameter",
    appId: "app_id",
    names: new Map([
      ["visitor", "fpcid"],
      ["visitor.fingerprint_id", "fpcid"],
    ]),
    answers: new Map(),
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
    answers: new Map<Code | string, Answer>([
      ...away({ status: 503, text: TEXT.unavailable, mayRetry: true }),
      [Code.ResourceExhausted, { status: 429, text: TEXT.limited, mayRetry: true }],
      [Code.AlreadyExists, { status: 422, text: TEXT.keyReused }],
      // Other reasons of UNAUTHENTICATED mean that the facade lacks the services' token, which is not the caller's fault.
      ["SIGNATURE_UNKNOWN", { status: 401, text: TEXT.signatureUnknown, headers: SIGN }],
      ["SIGNATURE_EXPIRED", { status: 401, text: TEXT.signatureExpired, headers: SIGN }],
    ]),
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
    answers: new Map([...away(BUSY), [Code.ResourceExhausted, BUSY]]),
    internal: TEXT.internal,
  },
};

/** `Missing required field: app_id`, in the words of the operation. `name` is the operation's own name. */
export function missing(operation: Operation, name: string): Refused {
  return new Refused(400, `Missing required ${nounOf(operation, name)}: ${name}`);
}

/** `Invalid app_id` or `Invalid appId`, in the words of the operation: the app does not exist. */
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
  if (error instanceof Refused) return error;
  const { answers, internal } = WORDING[operation];
  if (!(error instanceof ConnectError)) return { status: 500, text: internal };
  if (error.code === Code.InvalidArgument) return invalidArgument(operation, error);
  const { reason = "", metadata = {} } = error.findDetails(ErrorInfoSchema)[0] ?? {};
  if (error.code === Code.NotFound && reason === "APP_NOT_FOUND") return invalidApp(operation);
  const answer = answers.get(reason) ?? answers.get(error.code);
  if (answer?.mayRetry !== true) return answer ?? { status: 500, text: internal };
  // In whole seconds, at least one: Retry-After has no fractions.
  const seconds = Math.max(1, wholeSeconds(error.findDetails(RetryInfoSchema)[0]?.retryDelay));
  const rest = answer.status === 429 ? usedUp(metadata, seconds) : {};
  return { status: answer.status, text: answer.text, headers: { "retry-after": String(seconds), ...rest } };
}

/** The headers of a limit that the caller has reached; none where the error does not name it. */
function usedUp(metadata: Readonly<Record<string, string>>, resetSeconds: number): Readonly<Record<string, string>> {
  const [limit, windowSeconds] = [Number(metadata.limit), Number(metadata.window_seconds)];
  const isNamed = Number.isSafeInteger(limit) && Number.isSafeInteger(windowSeconds);
  return isNamed ? rateLimitHeaders(limit, windowSeconds, 0, resetSeconds) : {};
}

function invalidArgument(operation: Operation, error: ConnectError): Refused {
  const violation = violationOf(error);
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
  return error instanceof ConnectError && violationOf(error)?.field === "idempotency_key";
}

function violationOf(error: ConnectError) {
  return error.findDetails(BadRequestSchema)[0]?.fieldViolations[0];
}

/** The operation's name of a message's field, with its index. */
function ownName(operation: Operation, path: string): string | undefined {
  const index = /\[(\d+)\]/.exec(path)?.[1];
  const name = WORDING[operation].names.get(path.replace(/\[\d+\]/, "[*]"));
  return index === undefined ? name : name?.replace("[*]", `[${index}]`);
}
