import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { describe, expect, it } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { BadRequestSchema } from "../../../src/gen/google/rpc/error_details_pb.js";
import { createGate, hashOf } from "../../../src/services/access/authorization.js";
import { openListener } from "./rpc-fixture.js";

const PAGE = "https://admin.shop.example";

function openGuarded(pageOrigins: readonly string[]) {
  const tokens = new Map([[hashOf("good"), { name: "x", scopes: new Set(["admin"] as const) }]]);
  const gate = createGate({ tokens: () => tokens, now: Date.now, onRefused: () => undefined });
  return openListener({ gate, pageOrigins });
}

const listOf = (text: string | null) => (text ?? "").split(",").map((name) => name.trim().toLowerCase());
/** Headers that a page may send and read without being told (Fetch standard). */
const SAFE_TO_SEND = ["accept", "accept-language", "content-language"];
const SAFE_TO_READ = ["cache-control", "content-language", "content-length", "content-type", "expires", "pragma"];

/** As a browser fetches for a page: with a preflight, and the page sees only what the answer exposes. */
function browser(origin: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const sent = [...request.headers.keys()].filter((name) => !SAFE_TO_SEND.includes(name));
    const preflight = await fetch(request.url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": request.method,
        "access-control-request-headers": sent.sort().join(","),
      },
    });
    const allowed = listOf(preflight.headers.get("access-control-allow-headers"));
    const isAllowed =
      preflight.ok &&
      preflight.headers.get("access-control-allow-origin") === origin &&
      listOf(preflight.headers.get("access-control-allow-methods")).includes(request.method.toLowerCase()) &&
      sent.every((name) => allowed.includes(name));
    if (!isAllowed) throw new TypeError("blocked by CORS: preflight");
    const headers = { ...Object.fromEntries(request.headers), origin, "sec-fetch-site": "cross-site" };
    const body = request.body === null ? null : await request.arrayBuffer();
    const answer = await fetch(request.url, { method: request.method, headers, body });
    if (answer.headers.get("access-control-allow-origin") !== origin) throw new TypeError("blocked by CORS: answer");
    const exposed = [...SAFE_TO_READ, ...listOf(answer.headers.get("access-control-expose-headers"))];
    const seen = [...answer.headers].filter(([name]) => exposed.includes(name));
    return new Response(answer.body, { status: answer.status, headers: seen });
  };
}

describe.each([
  ["gRPC-Web", createGrpcWebTransport, "app.app_id"],
  ["Connect", createConnectTransport, "app.appId"],
])("a page of another origin calls by %s", (_, create, field) => {
  const clientOf = (baseUrl: string, origin: string, token = "good") => {
    const apps = createClient(AppService, create({ baseUrl, fetch: browser(origin), defaultTimeoutMs: 20_000 }));
    const headers = { authorization: `Bearer ${token}` };
    return (appId: string) => apps.createApp({ app: { appId } }, { headers });
  };

  it("and reads the answer when its origin is listed", async () => {
    const { url } = await openGuarded(["http://localhost:5173", PAGE]);
    expect((await clientOf(url, PAGE)("shop")).app?.appId).toBe("shop");
  });

  it("and reads code, text and details of an error", async () => {
    const { url } = await openGuarded([PAGE]);
    const error = await clientOf(url, PAGE)("no app").then(Promise.reject, ConnectError.from);
    expect([error.code, error.rawMessage]).toEqual([Code.InvalidArgument, `Invalid field: ${field}`]);
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field).toBe(field);
  });

  it("and needs its token after a preflight without one", async () => {
    const { url } = await openGuarded([PAGE]);
    const error = await clientOf(url, PAGE, "bad")("shop").then(Promise.reject, ConnectError.from);
    expect(error.code).toBe(Code.Unauthenticated);
  });

  it("and is refused when its origin is not listed, or none is", async () => {
    for (const origins of [[PAGE], []]) {
      const { url } = await openGuarded(origins);
      await expect(clientOf(url, "https://evil.example")("shop")).rejects.toThrow("blocked by CORS");
    }
  });
});

it("a listed origin opens RPCs alone, not the metrics", async () => {
  const metrics = { contentType: "text/plain", text: async () => "up 1" };
  const { url } = await openListener({ metrics, pageOrigins: [PAGE] });
  for (const path of ["/metrics", "/healthz", "/aisle.v1.AppService/None"]) {
    const answer = await fetch(`${url}${path}`, { headers: { origin: PAGE } });
    expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 403, null]);
  }
});
