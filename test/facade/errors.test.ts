import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { failureOf, type Operation, Refused } from "../../src/facade/errors.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";

const OPERATIONS: readonly Operation[] = ["subscription_status", "trace", "recommend"];

const plain = (code: Code) => new ConnectError("secret", code);
const violation = (field: string, reason: string) =>
  new ConnectError("secret", Code.InvalidArgument, undefined, [
    { desc: BadRequestSchema, value: { fieldViolations: [{ field, reason }] } },
  ]);
const reason = (code: Code, text: string) =>
  new ConnectError("secret", code, undefined, [{ desc: ErrorInfoSchema, value: { reason: text, domain: "aisle" } }]);
const retry = (seconds: bigint, nanos: number) =>
  new ConnectError("secret", Code.Unavailable, undefined, [
    { desc: RetryInfoSchema, value: { retryDelay: { seconds, nanos } } },
  ]);

const STATUS_FAILED = "An error occurred while processing the request";
const UNAVAILABLE = "Service temporarily unavailable";
const INTERNAL = "Internal server error";

/** Each failure with what it answers on subscription_status, trace and recommend: status, text, Retry-After. */
const TABLE: readonly [string, unknown, ...[number, string, number][]][] = [
  [
    "an unknown app",
    reason(Code.NotFound, "APP_NOT_FOUND"),
    [400, "Invalid app_id", 0],
    [400, "Invalid app_id", 0],
    [400, "Invalid appId", 0],
  ],
  [
    "something else that is not there",
    reason(Code.NotFound, "MODEL_NOT_FOUND"),
    [500, STATUS_FAILED, 0],
    [500, INTERNAL, 0],
    [500, INTERNAL, 0],
  ],
  [
    "no app",
    violation("app_id", "FIELD_MISSING"),
    [400, "Missing required parameter: app_id", 0],
    [400, "Missing required field: app_id", 0],
    [400, "Missing required field: appId", 0],
  ],
  [
    "a key that was used",
    reason(Code.AlreadyExists, "IDEMPOTENCY_KEY_REUSED"),
    [500, STATUS_FAILED, 0],
    [422, "Idempotency key was used with another body", 0],
    [500, INTERNAL, 0],
  ],
  [
    "a signature that no secret made",
    reason(Code.Unauthenticated, "SIGNATURE_UNKNOWN"),
    [500, STATUS_FAILED, 0],
    [401, "Unknown signature in header: X-Aisle-Signature", 0],
    [500, INTERNAL, 0],
  ],
  [
    "a signature that is too old",
    reason(Code.Unauthenticated, "SIGNATURE_EXPIRED"),
    [500, STATUS_FAILED, 0],
    [401, "Expired header: X-Aisle-Timestamp, within 5 minutes is accepted", 0],
    [500, INTERNAL, 0],
  ],
  [
    "services that do not know the facade's token",
    reason(Code.Unauthenticated, "TOKEN_UNKNOWN"),
    [500, STATUS_FAILED, 0],
    [500, INTERNAL, 0],
    [500, INTERNAL, 0],
  ],
  [
    "a limit",
    plain(Code.ResourceExhausted),
    [500, STATUS_FAILED, 0],
    [429, "Rate limit exceeded", 1],
    [500, UNAVAILABLE, 1],
  ],
  [
    "a store that is down",
    plain(Code.Unavailable),
    [500, STATUS_FAILED, 0],
    [503, UNAVAILABLE, 1],
    [500, UNAVAILABLE, 1],
  ],
  [
    "a store that is down for longer",
    retry(2n, 1),
    [500, STATUS_FAILED, 0],
    [503, UNAVAILABLE, 3],
    [500, UNAVAILABLE, 3],
  ],
  ["a deadline", plain(Code.DeadlineExceeded), [500, STATUS_FAILED, 0], [503, UNAVAILABLE, 1], [500, UNAVAILABLE, 1]],
  ["a conflict", plain(Code.Aborted), [500, STATUS_FAILED, 0], [503, UNAVAILABLE, 1], [500, UNAVAILABLE, 1]],
  ["a failure inside", plain(Code.Internal), [500, STATUS_FAILED, 0], [500, INTERNAL, 0], [500, INTERNAL, 0]],
  ["damaged data", plain(Code.DataLoss), [500, STATUS_FAILED, 0], [500, INTERNAL, 0], [500, INTERNAL, 0]],
  ["a programming error", new TypeError("secret"), [500, STATUS_FAILED, 0], [500, INTERNAL, 0], [500, INTERNAL, 0]],
  ["a thrown text", "secret", [500, STATUS_FAILED, 0], [500, INTERNAL, 0], [500, INTERNAL, 0]],
  [
    "a refusal of the facade",
    new Refused(415, "Unsupported content type"),
    [415, "Unsupported content type", 0],
    [415, "Unsupported content type", 0],
    [415, "Unsupported content type", 0],
  ],
];

describe("the error table", () => {
  for (const [name, error, ...answers] of TABLE) {
    it.each(OPERATIONS.map((operation, i) => [operation, answers[i]!] as const))(
      `answers ${name} on %s with %j`,
      (operation, [status, text, retryAfterSeconds]) => {
        const failure = failureOf(operation, error);
        expect([failure.status, failure.text]).toEqual([status, text]);
        const retryAfter = retryAfterSeconds === 0 ? undefined : String(retryAfterSeconds);
        expect(failure.headers?.["retry-after"]).toBe(retryAfter);
      },
    );
  }

  it.each([
    ["trace", "event.action_type", "action_type"],
    ["trace", "event.products", "product_ids"],
    ["trace", "event.categories", "product_category_ids"],
    ["trace", "event.order.order_id", "order_id"],
    ["trace", "event.contact.email", "email"],
    ["trace", "idempotency_key", "idempotency_key"],
    ["recommend", "interactions[3].interaction_time", "productInteractions[3].utcInteractionDate"],
    ["recommend", "interactions[12].type", "productInteractions[12].productInteractionType"],
    ["recommend", "frame_interactions[0].frame_id", "recommendFrameInteractions[0].trackerProductGroupId"],
    ["recommend", "current_skus", "currentProductSkus"],
  ] as const)("names on %s the field %s as %s", (operation, path, name) => {
    expect(failureOf(operation, violation(path, "FIELD_MISSING")).text).toBe(`Missing required field: ${name}`);
    expect(failureOf(operation, violation(path, "FIELD_INVALID")).text).toBe(`Invalid field: ${name}`);
  });

  it("names the exceeded limit on /trace only", () => {
    const metadata = { limit: "100", window_seconds: "1" };
    const error = new ConnectError("secret", Code.ResourceExhausted, undefined, [
      { desc: ErrorInfoSchema, value: { reason: "RATE_LIMITED", domain: "aisle", metadata } },
    ]);
    const limited = { ratelimit: '"server";r=0;t=1', "ratelimit-policy": '"server";q=100;w=1' };
    expect(OPERATIONS.map((operation) => failureOf(operation, error).headers)).toEqual([
      undefined,
      { "retry-after": "1", ...limited },
      { "retry-after": "1" },
    ]);
  });

  it("names a scheme to sign with on /trace only", () => {
    for (const text of ["SIGNATURE_UNKNOWN", "SIGNATURE_EXPIRED"])
      expect(OPERATIONS.map((operation) => failureOf(operation, reason(Code.Unauthenticated, text)).headers)).toEqual([
        undefined,
        { "www-authenticate": "Aisle-Signature" },
        undefined,
      ]);
  });

  it("names the visitor of /subscription_status fpcid", () => {
    expect(failureOf("subscription_status", violation("visitor", "FIELD_MISSING")).text).toBe(
      "Missing required parameter: fpcid",
    );
  });

  it("hides a field that has no REST name", () => {
    expect(failureOf("trace", violation("event.inner.secret", "FIELD_INVALID"))).toMatchObject({
      status: 400,
      text: "Bad request",
    });
  });
});
