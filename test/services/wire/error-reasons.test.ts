import { once } from "node:events";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import {
  AlreadyExists,
  Conflict,
  checkAll,
  InvalidArgument,
  NotFound,
  RateLimited,
  RequestIdReused,
  RequestRunning,
  Unauthenticated,
  Unavailable,
} from "../../../src/domain/errors.js";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { ErrorReason } from "../../../src/gen/aisle/v1/error_reason_pb.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../../src/gen/google/rpc/error_details_pb.js";
import { Health } from "../../../src/gen/grpc/health/v1/health_pb.js";
import { createAppBounds, createGate, hashOf, type Tokens } from "../../../src/services/access/authorization.js";
import { unlessAborted } from "../../../src/services/calls/unless-aborted.js";
import { guarded, toConnectError } from "../../../src/services/errors/errors.js";
import { MAX_WATCHES_OF_APP, WatchLimit } from "../../../src/services/watch-limit.js";
import type { RpcListenerDeps } from "../../../src/services/wire/rpc-listener.js";
import { countingMetrics } from "../../fixtures/metrics.js";
import { openListener } from "./rpc-fixture.js";

function oneWatchTooMany(): Error {
  const limit = new WatchLimit(countingMetrics());
  for (let n = 0; n < MAX_WATCHES_OF_APP; n++) limit.enter("shop");
  try {
    limit.enter("shop");
  } catch (error) {
    if (error instanceof ConnectError) return error;
  }
  throw new Error("The watch was not refused");
}

/** Errors of use cases, with the reason that callers see. */
const FAILURES: readonly (readonly [string, Error])[] = [
  ["INVALID_FIELDS", new InvalidArgument("app_id", "missing")],
  ["REQUEST_ID_REUSED", new RequestIdReused()],
  ...(
    [
      "app",
      "event",
      "rejected_event",
      "contact",
      "product",
      "model",
      "frame_configuration",
      "link",
      "hook",
      "feed",
      "product_group",
      "signing_secret",
      "visitor",
      "operation",
      "order",
    ] as const
  ).map((resource) => [`${resource.toUpperCase()}_NOT_FOUND`, new NotFound(resource)] as const),
  ["APP_EXISTS", new AlreadyExists("app", "taken")],
  ["IDEMPOTENCY_KEY_REUSED", new AlreadyExists("idempotency_key", "reused")],
  ...(
    [
      "etag_mismatch",
      "training_running",
      "evaluation_running",
      "copy_running",
      "too_many_unlisted",
      "not_enough_data",
      "public_url_not_set",
      "too_many_signing_secrets",
      "copy_of_other_source",
      "secret_key_changed",
    ] as const
  ).map((reason) => [reason.toUpperCase(), new Conflict(reason, "not now")] as const),
  ["SIGNATURE_UNKNOWN", new Unauthenticated("signature_unknown", "no secret made it")],
  ["SIGNATURE_EXPIRED", new Unauthenticated("signature_expired", "too old")],
  ["RATE_LIMITED", new RateLimited(10, { limit: 100, windowMs: 1000 })],
  ["TOO_MANY_WATCHES", oneWatchTooMany()],
  ["OVERLOADED", new Unavailable("full", 2000, { shed: "queue_length" })],
  ["UNAVAILABLE", new Unavailable("the store is away")],
  ["REQUEST_RUNNING", new RequestRunning()],
  ["CALL_CANCELED", Object.assign(new Error("closed"), { code: "ERR_STREAM_PREMATURE_CLOSE" })],
  ["INTERNAL", new TypeError("x is undefined")],
];

/** One failure of each class: what carries these errors carries the others of their class. */
const BY_CLASS = FAILURES.filter(
  ([, error], at) => at === FAILURES.findIndex(([, other]) => other.constructor === error.constructor),
);

const provoked = new Set<string>();

/** Never sent, or only in the result of an operation. */
const ELSEWHERE: ReadonlySet<string> = new Set(["ERROR_REASON_UNSPECIFIED", "OPERATION_LOST", "FEED_FAILED"]);

/** Reason and retry delay of a failed call, which has exactly one reason. */
async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable("the call fails"),
    (cause: unknown) => ConnectError.from(cause),
  );
  const [info, ...others] = error.findDetails(ErrorInfoSchema);
  expect(others).toEqual([]);
  expect(info?.domain).toBe("aisle");
  provoked.add(info?.reason ?? "");
  const retry = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return { error, reason: info?.reason, metadata: info?.metadata, retries: retry !== undefined };
}

const NOW = 1_000_000;
const TOKENS: Tokens = new Map([
  [hashOf("reader"), { name: "reader", scopes: new Set(["admin"] as const), apps: new Set(["other"]) }],
  [hashOf("expired"), { name: "expired", scopes: new Set(["admin"] as const), expiresAt: NOW - 1 }],
  [hashOf("storefront"), { name: "storefront", scopes: new Set(["storefront"] as const) }],
]);

/** Calls that wait for 5 seconds, since the file began. */
let slowCalls = 0;

function open(deps: Partial<RpcListenerDeps> = {}) {
  return openListener({
    routes: (router) => {
      router.service(AppService, {
        getApp: guarded(
          () => undefined,
          async ({ appId }, { signal }) => {
            const failure = FAILURES.find(([name]) => name === appId)?.[1];
            if (failure !== undefined) throw failure;
            if (appId === "large") return { app: { displayName: "x".repeat(5000) } };
            if (appId === "slow") slowCalls++;
            if (appId === "slow") await unlessAborted(signal, () => setTimeout(5000));
            return {};
          },
        ),
      });
    },
    ...deps,
  });
}

const TRANSPORTS: Record<string, (baseUrl: string) => Transport> = {
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC, compressed": (baseUrl) =>
    createGrpcTransport({ baseUrl, sendCompression: compressionGzip, compressMinBytes: 1 }),
  "gRPC-Web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  Connect: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
};

describe.each(Object.entries(TRANSPORTS))("the reason of an error by %s", (_, transport) => {
  const appsAt = (url: string) => createClient(AppService, transport(url));

  it.each(transport === TRANSPORTS.gRPC ? FAILURES : BY_CLASS)("is %s for a failure of a use case", async (reason) => {
    const { url } = await open();
    expect((await failureOf(appsAt(url).getApp({ appId: reason }))).reason).toBe(reason);
  });

  it("is MESSAGE_TOO_LARGE for a large request, with the limit and without a time to retry", async () => {
    const { url } = await open({ limits: { readMaxBytes: 1000 } });
    const large = await failureOf(appsAt(url).getApp({ appId: "x".repeat(2000) }));
    expect([large.error.code, large.reason, large.metadata, large.retries]).toEqual([
      Code.ResourceExhausted,
      "MESSAGE_TOO_LARGE",
      { max_bytes: "1000" },
      false,
    ]);
  });

  it("is ANSWER_TOO_LARGE for a large answer", async () => {
    const { url } = await open({ limits: { writeMaxBytes: 1000 } });
    const large = await failureOf(appsAt(url).getApp({ appId: "large" }));
    expect([large.reason, large.metadata]).toEqual(["ANSWER_TOO_LARGE", { max_bytes: "1000" }]);
  });

  it("is UNKNOWN_METHOD for a method that the server does not have", async () => {
    const { url } = await openListener({ routes: () => {} });
    const unknown = await failureOf(appsAt(url).getApp({}));
    expect([unknown.error.code, unknown.reason]).toEqual([Code.Unimplemented, "UNKNOWN_METHOD"]);
  });

  it("is that of the token when it is refused", async () => {
    const gate = createGate({ tokens: () => TOKENS, now: () => NOW, onRefused: () => {} });
    const { url } = await open({ gate, interceptors: [createAppBounds()] });
    const reasonWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await failureOf(appsAt(url).getApp({ appId: "shop" }, { headers }))).reason;
    };
    expect([
      await reasonWith("stranger"),
      await reasonWith("expired"),
      (await failureOf(appsAt(url).createApp({}, { headers: { authorization: "Bearer storefront" } }))).reason,
      await reasonWith("reader"),
    ]).toEqual(["TOKEN_UNKNOWN", "TOKEN_EXPIRED", "SCOPE_MISSING", "APP_NOT_ALLOWED"]);
  });

  it("is ORIGIN_NOT_ALLOWED for a page of another origin", async () => {
    const { url } = await open();
    const headers = { origin: "https://evil.example" };
    const refused = await failureOf(appsAt(url).getApp({}, { headers }));
    expect([refused.error.code, refused.reason]).toEqual([Code.PermissionDenied, "ORIGIN_NOT_ALLOWED"]);
  });

  it("is SERVICE_NOT_FOUND when the health of an unknown service is asked for", async () => {
    const { url } = await open();
    const { reason } = await failureOf(createClient(Health, transport(url)).check({ service: "no.Such" }));
    expect(reason).toBe("SERVICE_NOT_FOUND");
  });
});

/** Answers a POST of JSON to GetApp; `host` replaces that of the address. */
async function posted(port: number, body: string, headers: Record<string, string>, method = "POST") {
  const sent = request({
    port,
    host: "127.0.0.1",
    method,
    path: "/aisle.v1.AppService/GetApp",
    headers: { "content-type": "application/json", ...headers },
  });
  sent.end(body);
  const [answer] = await once(sent, "response");
  const error = errorFromJsonBytes(await buffer(answer), undefined, new ConnectError("no error", Code.Unknown));
  return failureOf(Promise.reject(error));
}

describe("the reason of a call that cannot be read", () => {
  it.each([
    ["MALFORMED_CALL", "half of JSON", "{", {}],
    ["INVALID_FIELDS", "JSON with a field of another type", '{"appId":1}', {}],
    ["MALFORMED_CALL", "bytes that are no message", "\xff\xff", { "content-type": "application/proto" }],
    ["MALFORMED_CALL", "a malformed timeout", "{}", { "connect-timeout-ms": "soon" }],
    ["UNSUPPORTED_CALL", "an unknown compression", "{}", { "content-encoding": "zip" }],
    ["UNSUPPORTED_CALL", "an unknown content type", "{}", { "content-type": "text/plain" }],
    ["HOST_NOT_ALLOWED", "a host of another name", "{}", { host: "evil.example" }],
    ["DEADLINE_EXCEEDED", "a deadline that passes", '{"appId":"slow"}', { "connect-timeout-ms": "20" }],
  ])("is %s for %s", async (reason, _, body, headers) => {
    const { port } = await open();
    expect((await posted(port, body, headers)).reason).toBe(reason);
  });

  it("is UNSUPPORTED_CALL for an HTTP method that the RPC does not take", async () => {
    const { port } = await open();
    expect((await posted(port, "", {}, "PUT")).reason).toBe("UNSUPPORTED_CALL");
  });

  it("is BODY_TIMEOUT for a body that does not come", async () => {
    const { port } = await open({ limits: { bodyTimeoutMs: 50, lingerMs: 50 } });
    expect((await posted(port, "{}", { "content-length": "10" })).reason).toBe("BODY_TIMEOUT");
  });
});

it("a call that is open when the server ends fails with SHUTTING_DOWN and a time to retry", async () => {
  const { port, close } = await open();
  const before = slowCalls;
  const call = posted(port, '{"appId":"slow"}', {});
  await expect.poll(() => slowCalls).toBe(before + 1);
  await close(0);
  const { reason, retries } = await call;
  expect([reason, retries]).toEqual(["SHUTTING_DOWN", true]);
});

it.each(FAILURES.filter(([reason]) => ["RATE_LIMITED", "OVERLOADED", "UNAVAILABLE"].includes(reason)))(
  "%s says when to retry",
  async (reason) => {
    const { url } = await open();
    const call = createClient(AppService, createGrpcTransport({ baseUrl: url })).getApp({ appId: reason });
    expect((await failureOf(call)).retries).toBe(true);
  },
);

it("a watch beyond those of an app is TOO_MANY_WATCHES, counted, until another one ends", async () => {
  const metrics = countingMetrics();
  const limit = new WatchLimit(metrics);
  const exits = Array.from({ length: MAX_WATCHES_OF_APP }, () => limit.enter("shop"));
  const enter = async () => limit.enter("shop");
  expect((await failureOf(enter())).reason).toBe("TOO_MANY_WATCHES");
  expect(metrics.counts.get("shed")).toBe(1);
  limit.enter("other");
  exits[0]?.();
  await expect(enter()).resolves.toBeDefined();
});

it("every violation of a request is in its error, at most 100", () => {
  const checks = Array.from({ length: 150 }, (_, i) => () => {
    throw new InvalidArgument(`field_${i}`, i % 2 === 0 ? "missing" : "invalid", "a text");
  });
  const error = caughtFrom(() => checkAll(() => {}, ...checks));
  const violations = toConnectError(error).findDetails(BadRequestSchema)[0]?.fieldViolations ?? [];
  for (const { reason } of violations) provoked.add(reason);
  expect([violations.length, violations[0]?.field, violations[1]?.field]).toEqual([100, "field_0", "field_1"]);
});

function caughtFrom(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it throws");
}

it("every reason of the enum has been provoked by a test of this file", () => {
  const all = Object.values(ErrorReason).filter((name) => typeof name === "string");
  expect(all.filter((name) => !ELSEWHERE.has(name) && !provoked.has(name))).toEqual([]);
});
