import { request as openHttp1 } from "node:http";
import { constants, connect as openHttp2 } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService, RecordEventsRequestSchema } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { PrivacyService } from "../../../src/gen/aisle/v1/privacy_service_pb.js";
import { SubscriptionService } from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { ErrorInfoSchema } from "../../../src/gen/google/rpc/error_details_pb.js";
import { Health } from "../../../src/gen/grpc/health/v1/health_pb.js";
import { type AuditEntry, createAudit } from "../../../src/services/access/audit.js";
import {
  createAppBounds,
  createGate,
  hashOf,
  type Token,
  type Tokens,
  withToken,
} from "../../../src/services/access/authorization.js";
import { SCOPES } from "../../../src/services/access/method-scopes.js";
import { codeName } from "../../../src/services/telemetry/rpc-metrics.js";
import { createGate as createClosedGate, type Gate, openListener } from "../wire/rpc-fixture.js";

const NOW = Date.parse("2026-11-22T12:00:00Z");

const TOKENS: Tokens = new Map(
  [
    ...SCOPES.map((scope): Token => ({ name: scope, scopes: new Set([scope]) })),
    { name: "both", scopes: new Set(["read", "write"] as const) },
    { name: "ended", scopes: new Set(["admin"] as const), expiresAt: NOW },
    { name: "ending", scopes: new Set(["admin"] as const), expiresAt: NOW + 1 },
  ].map((token) => [hashOf(`token-${token.name}`), token] as const),
);

type CreateTransport = (options: { baseUrl: string; httpVersion: "2"; interceptors: Interceptor[] }) => Transport;

/** Services that answer everything, behind the gate. An export waits in its middle for `rest`; a batch opens `taken`. */
const routes = (gates: { readonly rest: Gate; readonly taken: Gate }) => (router: ConnectRouter) => {
  router.service(AppService, { getApp: () => ({}), createApp: () => ({}), deleteApp: () => ({}) });
  router.service(EventService, {
    getEvent: () => ({}),
    recordEvent: () => ({}),
    async recordEvents(batches) {
      for await (const _ of batches) gates.taken.open();
      return {};
    },
  });
  router.service(SubscriptionService, { getContact: () => ({}) });
  router.service(PrivacyService, {
    async *exportVisitor() {
      yield {};
      await gates.rest.opened;
      yield {};
    },
  });
};

async function listener(tokens: Tokens | null = TOKENS) {
  const gates = { rest: createClosedGate(), taken: createClosedGate() };
  const entries: AuditEntry[] = [];
  const refused: string[] = [];
  const audit = createAudit((entry) => entries.push(entry));
  const gate = createGate({
    tokens: () => tokens ?? undefined,
    now: () => NOW,
    onRefused(method, caller, error) {
      refused.push(`${method.name} ${codeName(error)}`);
      audit.refused(method, caller, error);
    },
  });
  const opened = await openListener({
    routes: routes(gates),
    gate,
    interceptors: [audit.interceptor, createAppBounds()],
  });
  const clients = (token: string | undefined, create: CreateTransport = createGrpcTransport) => {
    const interceptors = token === undefined ? [] : [withToken(`token-${token}`)];
    const transport = create({ baseUrl: opened.url, httpVersion: "2", interceptors });
    return {
      apps: createClient(AppService, transport),
      events: createClient(EventService, transport),
      subscriptions: createClient(SubscriptionService, transport),
      privacy: createClient(PrivacyService, transport),
      health: createClient(Health, transport),
    };
  };
  return { ...opened, ...gates, entries, refused, clients };
}

const codeOf = async (call: Promise<unknown>) =>
  call.then(
    () => "ok",
    (error: unknown) => Code[ConnectError.from(error).code],
  );

async function* batches() {
  yield { appId: "shop" };
}

async function readAll(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of stream) count++;
  return count;
}

const TRANSPORTS: readonly (readonly [string, CreateTransport])[] = [
  ["gRPC", createGrpcTransport],
  ["gRPC-Web", createGrpcWebTransport],
  ["Connect", createConnectTransport],
];

describe("an RPC port with tokens", () => {
  it.each([
    ["storefront", ["ok", "PermissionDenied", "PermissionDenied", "ok", "PermissionDenied"]],
    ["personal", ["PermissionDenied", "ok", "PermissionDenied", "PermissionDenied", "PermissionDenied"]],
    ["write", ["PermissionDenied", "PermissionDenied", "ok", "ok", "PermissionDenied"]],
    ["both", ["ok", "PermissionDenied", "ok", "ok", "PermissionDenied"]],
    ["admin", ["ok", "ok", "ok", "ok", "ok"]],
  ])("lets a token %s call its scopes only", async (name, codes) => {
    const { apps, events, subscriptions } = (await listener()).clients(name);
    const calls = [
      apps.getApp({}),
      subscriptions.getContact({}),
      events.recordEvents(batches()),
      events.recordEvent({}),
      apps.createApp({}),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(codes);
  });

  it.each(
    TRANSPORTS.flatMap(([protocol, create]) =>
      [undefined, "reed", "ended"].map((token) => ({ protocol, create, token, said: token ?? "no token" })),
    ),
  )("rejects every call but health over $protocol with $said", async ({ create, token }) => {
    const server = await listener();
    const { apps, events, privacy, health } = server.clients(token, create);
    const calls = [apps.getApp({}), events.recordEvents(batches()), readAll(privacy.exportVisitor({}))];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "Unauthenticated"));
    expect(server.refused.sort()).toEqual([
      "ExportVisitor unauthenticated",
      "GetApp unauthenticated",
      "RecordEvents unauthenticated",
    ]);
    expect(await codeOf(health.check({}))).toBe("ok");
  });

  it("gives callers the reason of a rejection, in words and for machines", async () => {
    const server = await listener();
    const refusalOf = async (token: string) => {
      const error = await server.clients(token).apps.createApp({}).catch(ConnectError.from);
      if (!(error instanceof ConnectError)) throw new Error("the call was let through");
      const [info] = error.findDetails(ErrorInfoSchema);
      return [error.rawMessage, info?.reason, info?.metadata];
    };
    expect(await refusalOf("write")).toEqual(["the scope admin is needed", "SCOPE_MISSING", { needed: "admin" }]);
    const end = "2026-11-22T12:00:00.000Z";
    expect(await refusalOf("ended")).toEqual([`the token expired at ${end}`, "TOKEN_EXPIRED", { expired_at: end }]);
    expect(await refusalOf("nobody")).toEqual([expect.stringContaining("Bearer"), "TOKEN_UNKNOWN", {}]);
  });

  it("accepts a token until the millisecond of its expiry", async () => {
    expect(await codeOf((await listener()).clients("ending").apps.createApp({}))).toBe("ok");
  });

  it("rejects a hash in place of a token", async () => {
    const server = await listener(new Map([[hashOf("secret"), { name: "x", scopes: new Set(["admin"] as const) }]]));
    const transport = createGrpcTransport({ baseUrl: server.url, interceptors: [withToken(hashOf("secret"))] });
    expect(await codeOf(createClient(AppService, transport).getApp({}))).toBe("Unauthenticated");
  });

  it("rejects every caller when its list of tokens is empty, and none without a list", async () => {
    expect(await codeOf((await listener(new Map())).clients("admin").apps.getApp({}))).toBe("Unauthenticated");
    expect(await codeOf((await listener(null)).clients(undefined).apps.createApp({}))).toBe("ok");
  });
});

describe("a call without a token", () => {
  /** Says that a body of 4 MiB comes, and sends none of it: whoever reads the body waits for it. */
  const BODY = { "content-length": String(4 * 1024 * 1024) };
  const PATH = "/aisle.v1.AppService/CreateApp";

  it.each(["application/json", "application/proto", "application/grpc", "application/connect+json"])(
    "is answered over HTTP/1.1 before a byte of its body is read (%s)",
    async (contentType) => {
      const { port } = await listener();
      const headers = { ...BODY, "content-type": contentType };
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const request = openHttp1({ host: "127.0.0.1", port, path: PATH, method: "POST", headers });
        request.once("response", ({ statusCode }) => {
          resolve(statusCode);
          request.destroy();
        });
        request.on("error", reject);
        request.flushHeaders();
      });
      expect(answer).toBe(/grpc|connect/.test(contentType) ? 200 : 401);
    },
  );

  it.each([
    ["application/grpc", "16"],
    ["application/grpc-web+proto", "16"],
    ["application/json", undefined],
  ])(
    "is answered over HTTP/2 before a byte of its body is read, and its stream is closed (%s)",
    async (type, status) => {
      const { url } = await listener();
      const session = openHttp2(url);
      onTestFinished(() => session.destroy());
      const stream = session.request(
        { ":method": "POST", ":path": PATH, "content-type": type, ...BODY },
        { endStream: false },
      );
      const closed = new Promise((resolve) => stream.once("close", () => resolve(stream.rstCode)));
      const headers = await new Promise<NodeJS.Dict<unknown>>((resolve) => stream.once("response", resolve));
      expect(headers["grpc-status"]).toBe(status);
      stream.resume();
      expect(await closed).toBe(constants.NGHTTP2_NO_ERROR);
    },
  );

  it("is answered without parsing the message in the URL of a GET", async () => {
    const { url } = await listener();
    const path = "/aisle.v1.AppService/GetApp?connect=v1&encoding=json&message=%7Bbroken";
    expect((await fetch(url + path)).status).toBe(401);
    const known = await fetch(url + path, { headers: { authorization: "Bearer token-read" } });
    expect(known.status).toBe(400);
  });
});

describe("the audit of RPC calls", () => {
  const entry = (token: string, method: string, app: string, code: string) => ({
    peer: "127.0.0.1",
    token,
    method: `aisle.v1.${method}`,
    app,
    code,
  });

  it("has an entry for changes, admin calls and personal reads, with app and outcome", async () => {
    const server = await listener();
    const { apps, events, subscriptions } = server.clients("admin");
    await apps.getApp({ appId: "shop" });
    await apps.createApp({ app: { appId: "shop" } });
    await apps.deleteApp({ appId: "a person's name" });
    await subscriptions.getContact({ appId: "shop", contact: { case: "email", value: "anna@example.com" } });
    await events.recordEvent({ appId: "shop" });
    await events.recordEvents(batches());
    expect(server.entries).toEqual([
      entry("admin", "AppService/CreateApp", "shop", "ok"),
      entry("admin", "AppService/DeleteApp", "", "ok"),
      entry("admin", "SubscriptionService/GetContact", "shop", "ok"),
      entry("admin", "EventService/RecordEvent", "shop", "ok"),
      entry("admin", "EventService/RecordEvents", "shop", "ok"),
    ]);
  });

  it("has an entry for a rejected call, whoever made it", async () => {
    const server = await listener();
    await codeOf(server.clients("write").apps.deleteApp({ appId: "shop" }));
    await codeOf(server.clients(undefined).apps.deleteApp({ appId: "shop" }));
    expect(server.entries).toEqual([
      entry("write", "AppService/DeleteApp", "", "permission_denied"),
      entry("", "AppService/DeleteApp", "", "unauthenticated"),
    ]);
  });

  it("has no entry for a facade's calls on behalf of visitors", async () => {
    const server = await listener();
    const { apps, events } = server.clients("storefront");
    await events.recordEvent({ appId: "shop" });
    await apps.getApp({ appId: "shop" });
    expect(server.entries).toEqual([]);
  });

  it.each(TRANSPORTS)("waits over %s for the end of a streamed answer", async (_, create) => {
    const server = await listener();
    const { privacy } = server.clients("admin", create);
    let seen = 0;
    for await (const _ of privacy.exportVisitor({ appId: "shop" })) {
      if (++seen === 1) expect(server.entries).toEqual([]);
      server.rest.open();
    }
    expect(seen).toBe(2);
    await expect.poll(() => server.entries).toEqual([entry("admin", "PrivacyService/ExportVisitor", "shop", "ok")]);
  });

  it("records a stream whose caller disconnected", async () => {
    const server = await listener();
    const session = openHttp2(server.url);
    const stream = session.request(
      {
        ":method": "POST",
        ":path": "/aisle.v1.EventService/RecordEvents",
        "content-type": "application/grpc",
        authorization: "Bearer token-write",
      },
      { endStream: false },
    );
    stream.on("error", () => undefined);
    const message = toBinary(RecordEventsRequestSchema, create(RecordEventsRequestSchema, { appId: "shop" }));
    stream.write(encodeEnvelope(0, message));
    await server.taken.opened;
    session.destroy();
    await expect
      .poll(() => server.entries)
      .toEqual([entry("write", "EventService/RecordEvents", "shop", expect.stringMatching(/canceled|aborted/))]);
  });
});
