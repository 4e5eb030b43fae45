import { Code, ConnectError, createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { PrivacyService } from "../../src/gen/aisle/v1/privacy_service_pb.js";
import { ErrorInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import { Health } from "../../src/gen/grpc/health/v1/health_pb.js";
import {
  type AuditEntry,
  createAuthorization,
  hashOf,
  neededScope,
  SCOPES,
  type Tokens,
  withToken,
} from "../../src/services/authorization.js";
import { methodName, RPC_SERVICES } from "../../src/services/rpc-methods.js";

const TOKENS: Tokens = new Map(
  SCOPES.map((scope) => [hashOf(`token-to-${scope}`), { name: `${scope}er`, scope }] as const),
);

/** Clients of services that answer everything, behind the authorization. */
function clients(token: string | undefined, tokens: Tokens | null = TOKENS) {
  const audit: AuditEntry[] = [];
  const guard: Interceptor = createAuthorization({
    tokens: () => tokens ?? undefined,
    audit: (entry) => audit.push(entry),
  });
  const transport = createRouterTransport(
    (router) => {
      router.service(AppService, { getApp: () => ({}), createApp: () => ({}), deleteApp: () => ({}) });
      router.service(EventService, { listEvents: () => ({}), recordEvent: () => ({}), recordEvents: async () => ({}) });
      router.service(PrivacyService, {
        async *exportVisitor() {},
        async *eraseVisitor() {
          yield {};
        },
      });
      router.service(Health, { check: () => ({}) });
    },
    {
      router: { interceptors: [guard] },
      transport: { interceptors: token === undefined ? [] : [withToken(token)] },
    },
  );
  return {
    audit,
    apps: createClient(AppService, transport),
    events: createClient(EventService, transport),
    privacy: createClient(PrivacyService, transport),
    health: createClient(Health, transport),
  };
}

const codeOf = async (call: Promise<unknown>) =>
  call.then(
    () => "ok",
    (error: unknown) => Code[ConnectError.from(error).code],
  );

async function* batches() {
  yield { appId: "shop" };
}

describe("authorization of RPC callers", () => {
  it.each([
    ["read", ["ok", "PermissionDenied", "PermissionDenied", "PermissionDenied"]],
    ["write", ["ok", "ok", "ok", "PermissionDenied"]],
    ["admin", ["ok", "ok", "ok", "ok"]],
  ])("lets a token to %s make calls of its scope and of smaller ones alone", async (scope, codes) => {
    const { apps, events } = clients(`token-to-${scope}`);
    const calls = [events.listEvents({}), events.recordEvent({}), events.recordEvents(batches()), apps.createApp({})];
    expect(await Promise.all(calls.map(codeOf))).toEqual(codes);
  });

  it.each([
    ["no token", undefined],
    ["an unknown token", "token-to-reed"],
    ["the hash of a token", hashOf("token-to-admin")],
  ])("refuses every call but health with %s", async (_, token) => {
    const { apps, events, privacy, health } = clients(token);
    const streamed = (async () => {
      for await (const _ of privacy.exportVisitor({}));
    })();
    const calls = [events.listEvents({}), events.recordEvents(batches()), apps.getApp({}), streamed];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "Unauthenticated"));
    expect(await codeOf(health.check({}))).toBe("ok");
  });

  it("says by a machine-readable reason which scope is needed, and nothing of the token", async () => {
    const { apps } = clients("token-to-read");
    const error = await apps.createApp({}).catch((thrown: unknown) => ConnectError.from(thrown));
    if (!(error instanceof ConnectError)) throw new Error("the call was let through");
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "SCOPE_TOO_SMALL", domain: "aisle", metadata: { needed: "admin" } },
    ]);
    expect(JSON.stringify([error.message, [...error.metadata]])).not.toContain("token-to");
  });

  it("asks nobody for a token where there are none", async () => {
    expect(await codeOf(clients(undefined, null).apps.createApp({}))).toBe("ok");
    const { apps } = clients(undefined, new Map());
    expect(await codeOf(apps.getApp({}))).toBe("Unauthenticated");
  });

  it("notes who made or tried a change that is for admins, in which app, and what came of it", async () => {
    const admin = clients("token-to-admin");
    await admin.apps.createApp({ app: { appId: "shop" } });
    await admin.apps.deleteApp({ appId: "a person's name" });
    await admin.apps.getApp({ appId: "shop" });
    await admin.events.recordEvent({ appId: "shop" });
    for await (const _ of admin.privacy.eraseVisitor({ appId: "shop" }));
    const writer = clients("token-to-write");
    await codeOf(writer.apps.deleteApp({ appId: "shop" }));
    const AppMethod = (name: string) => `aisle.v1.AppService/${name}`;
    expect(admin.audit).toEqual([
      { caller: "adminer", method: AppMethod("CreateApp"), app: "shop", code: "ok" },
      { caller: "adminer", method: AppMethod("DeleteApp"), app: "", code: "ok" },
      { caller: "adminer", method: "aisle.v1.PrivacyService/EraseVisitor", app: expect.any(String), code: "ok" },
    ]);
    expect(writer.audit).toEqual([
      { caller: "writeer", method: AppMethod("DeleteApp"), app: "shop", code: "permission_denied" },
    ]);
  });

  it("needs a scope for every method there is but those of health", () => {
    const methods = RPC_SERVICES.flatMap(({ methods }) => methods);
    const open = methods.filter((method) => neededScope(method) === undefined).map(methodName);
    expect(open.every((name) => name.startsWith("grpc.health.v1.Health/"))).toBe(true);
    const changing = methods.filter((method) => neededScope(method) === "read" && !isReading(methodName(method)));
    expect(changing.map(methodName)).toEqual([]);
  });
});

/** By its name, whatever its options say. */
function isReading(name: string): boolean {
  return /\/(?:Get|List|Recommend|Explain|Evaluate|Verify|Server|Watch|Diagnose|Check)/.test(name);
}
