import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";
import { hashOf, withToken } from "../../src/services/access/authorization.js";
import { RPC_SERVICES } from "../../src/services/telemetry/rpc-methods.js";
import { type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";
import { documentedScopes } from "../fixtures/token-table.js";

const { owner, release } = sharedOwner();
const { scopes, methods } = documentedScopes();
const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  RPC_SERVICES.flatMap(({ typeName, methods }) =>
    methods.map((method) => [`${typeName.slice(typeName.lastIndexOf(".") + 1)}/${method.name}`, method] as const),
  ),
);
const APP = "one";
let server: ServerProcess;

beforeAll(async () => {
  const directory = await temporaryDirectory(owner);
  const lines = [
    ...scopes.map((scope) => `${scope} ${scope} ${hashOf(`token-${scope}`)}`),
    `bound admin apps=one,two ${hashOf("token-bound")}`,
    `elsewhere admin apps=elsewhere ${hashOf("token-elsewhere")}`,
    `expired admin expires=2020-01-01T00:00:00Z ${hashOf("token-expired")}`,
  ];
  const file = join(directory, "tokens");
  writeFileSync(file, `${lines.join("\n")}\n`);
  server = await startServer({
    directory: join(directory, "store"),
    flags: ["--role", "services", "--rpc-tokens", file, "--audit-log", join(directory, "audit")],
    owner,
  });
  const apps = createClient(AppService, transportOf("token-admin"));
  for (const appId of [APP, "two", "three"]) await apps.createApp({ app: { appId } });
});
afterAll(release);

function transportOf(token: string): Transport {
  return createGrpcTransport({ baseUrl: server.rpcUrl, interceptors: [withToken(token)] });
}

/** A request that names the app wherever it can, and nothing else. */
function requestFor(method: DescMethod, appId: string): MessageInitShape<DescMessage> {
  const withApp = (message: DescMessage) => (message.field.appId === undefined ? undefined : { appId });
  const inner = method.input.fields.flatMap(({ localName, message }) => {
    const value = message && withApp(message);
    return value === undefined ? [] : [[localName, value] as const];
  });
  const token = method.input.field.token === undefined ? {} : { token: `${appId}.AAAA.AAAAAAAAAAAAAAAAAAAAAA` };
  return { ...withApp(method.input), ...token, ...Object.fromEntries(inner) };
}

/** The code of a call of reflection under its older name, as clients from before 2023 make it. */
function alphaCode(token?: string): Promise<number> {
  const client = new Client(new URL(server.rpcUrl).host, credentials.createInsecure());
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const bytes = (message: Buffer) => message;
  const path = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  const call = client.makeBidiStreamRequest(path, bytes, bytes, metadata);
  call.end(Buffer.from([0x3a, 0])); // list_services
  call.on("error", () => {});
  call.resume();
  return new Promise((resolve) => call.once("status", ({ code }) => resolve(code)));
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isStreaming(method: DescMethod): method is DescMethodStreaming {
  return method.methodKind !== "unary";
}

/** The code of the answer of a call, "Ok" for none. */
async function codeOf(token: string, method: DescMethod, appId: string): Promise<string> {
  const request = create(method.input, requestFor(method, appId));
  const transport = transportOf(token);
  try {
    if (isUnary(method)) {
      await transport.unary(method, undefined, 10_000, undefined, request);
    } else if (isStreaming(method)) {
      async function* once() {
        yield request;
      }
      const answer = await transport.stream(method, undefined, 10_000, undefined, once());
      for await (const _ of answer.message);
    }
    return "Ok";
  } catch (error) {
    return Code[ConnectError.from(error).code] ?? "";
  }
}

const CELLS = scopes.flatMap((scope) =>
  [...methods].map(([name, allowed]) => ({ name, scope, expected: allowed.includes(scope) ? "allowed" : "refused" })),
);

describe("the scope table in docs/security.md", () => {
  // Deleting the app comes last, whatever its place in the table.
  const ordered = [...CELLS].sort((a, b) => Number(/Delete/.test(a.name)) - Number(/Delete/.test(b.name)));

  it.each(ordered)("is right that $name with the scope $scope is $expected", async ({ name, scope, expected }) => {
    const method = METHODS.get(name);
    if (method === undefined) throw new Error("there is no such method");
    const code = await codeOf(`token-${scope}`, method, "nowhere");
    expect(code).not.toBe("Unauthenticated");
    expect(code === "PermissionDenied" ? "refused" : "allowed").toBe(expected);
  });
});

describe("a token limited to apps", () => {
  const ABOUT_APPS = [...METHODS].filter(
    ([name, method]) => method.parent.typeName.startsWith("aisle.") && name !== "AppService/ListApps",
  );

  it.each(ABOUT_APPS)("cannot call %s for another app", async (_, method) => {
    expect(await codeOf("token-elsewhere", method, APP)).toBe("PermissionDenied");
  });

  it.each(ABOUT_APPS.filter(([name]) => !/CreateApp|Delete/.test(name)))(
    "can call %s for its own app",
    async (_, method) => {
      expect(["PermissionDenied", "Unauthenticated"]).not.toContain(await codeOf("token-bound", method, APP));
    },
  );

  it.each([
    ["a request without an app", AppService.method.createApp],
    ["a request with an empty app id", CatalogService.method.listProducts],
    ["a stream whose first message names no app", CatalogService.method.upsertProducts],
  ])("gets the error %s", async (_, method) => {
    expect(await codeOf("token-bound", method, "")).toBe("PermissionDenied");
  });

  it("is refused in mid-stream when the stream turns to another app", async () => {
    async function* requests() {
      yield { appId: "one", products: [{ productId: "p1", title: "One" }] };
      yield { products: [{ productId: "p2", title: "Two" }] };
      yield { appId: "three", products: [{ productId: "p3", title: "Three" }] };
    }
    const client = createClient(CatalogService, transportOf("token-bound"));
    const refused = await client.upsertProducts(requests()).catch((error: unknown) => ConnectError.from(error));
    expect(refused).toMatchObject({ code: Code.PermissionDenied, rawMessage: "the token is for other apps" });
    const admin = createClient(CatalogService, transportOf("token-admin"));
    expect((await admin.listProducts({ appId: "three" })).products).toEqual([]);
  });

  it("lists its own apps only", async () => {
    const list = async (token: string) => {
      const { listApps } = createClient(AppService, transportOf(token));
      const first = await listApps({ pageSize: 1 });
      const second = first.nextPageToken === "" ? undefined : await listApps({ pageToken: first.nextPageToken });
      expect(second?.nextPageToken ?? "").toBe("");
      return [...first.apps, ...(second?.apps ?? [])].map(({ appId }) => appId);
    };
    expect(await list("token-bound")).toEqual(["one", "two"]);
    expect(await list("token-elsewhere")).toEqual([]);
  });

  it("follows links of its own app only", async () => {
    const { followLink } = SubscriptionService.method;
    expect(await codeOf("token-bound", followLink, "one")).toBe("NotFound");
    expect(await codeOf("token-bound", followLink, "three")).toBe("PermissionDenied");
  });
});

it("the error for an expired token says when it expired", async () => {
  const client = createClient(AppService, transportOf("token-expired"));
  const refused = await client.getApp({ appId: APP }).catch((error: unknown) => ConnectError.from(error));
  expect(refused).toMatchObject({
    code: Code.Unauthenticated,
    rawMessage: "the token expired at 2020-01-01T00:00:00.000Z",
  });
});

it("reflection v1alpha answers the scopes that reflection v1 answers", async () => {
  expect(await alphaCode()).toBe(Code.Unauthenticated);
  expect(await alphaCode("token-expired")).toBe(Code.Unauthenticated);
  for (const scope of scopes) expect([scope, await alphaCode(`token-${scope}`)]).toEqual([scope, 0]);
  expect(await alphaCode("token-bound")).toBe(0);
});
