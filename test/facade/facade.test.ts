import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { EVENT_ID, FORM, openFacade } from "./fixture.js";

const trace = (payload: string, headers: Record<string, string> = FORM) =>
  ({ method: "POST", url: "/trace", headers, payload }) as const;

describe("the facade", () => {
  it("makes one RPC call for an event from a server", async () => {
    const { facade, calls } = openFacade();
    const answer = await facade.inject(trace("app_id=shop&action_type=other"));
    expect(answer.headers["x-service-event-id"]).toBe(EVENT_ID);
    expect(calls.map((call) => call.name)).toEqual(["recordEvent"]);
  });

  it("makes no RPC call for a request without its app or visitor", async () => {
    const { facade, calls } = openFacade();
    await facade.inject(trace("action_type=other"));
    await facade.inject({ method: "GET", url: "/subscription_status?app_id=shop" });
    await facade.inject({ method: "POST", url: "/recommend", payload: "{}" });
    expect(calls).toEqual([]);
  });

  it("looks up the origins of an app once for many calls of its pages", async () => {
    const { facade, calls } = openFacade();
    const page = trace("app_id=shop&action_type=other", { ...FORM, origin: "https://shop.example" });
    await facade.inject(page);
    await facade.inject(page);
    expect(calls.map((call) => call.name)).toEqual(["getApp", "recordEvent", "recordEvent"]);
  });

  it("gives each call the deadline it was made with", async () => {
    const { facade, calls } = openFacade({}, { callTimeoutMs: 700 });
    await facade.inject(trace("app_id=shop&action_type=other"));
    await facade.inject({ method: "GET", url: "/subscription_status?app_id=shop&fpcid=v" });
    await facade.inject({ method: "POST", url: "/recommend", payload: '{"appId":"shop","productInteractions":[]}' });
    expect(calls.map((call) => call.timeoutMs)).toEqual([700, 700, 700]);
  });

  it("prefers the header's idempotency key, and takes a word for nothing as none", async () => {
    const { facade, calls } = openFacade();
    const send = (key: string) =>
      facade.inject(trace("app_id=shop&action_type=other&idempotency_key=field", { ...FORM, "idempotency-key": key }));
    for (const key of ["head", "undefined", "NULL", " ", "(not set)"]) await send(key);
    await facade.inject(trace("app_id=shop&action_type=other&idempotency_key=NaN"));
    expect(calls.map((call) => call.request)).toMatchObject(
      ["head", "field", "field", "field", "field", ""].map((idempotencyKey) => ({ idempotencyKey })),
    );
  });

  it("sets cookies for the public URL with the configured lifetime", async () => {
    const { facade } = openFacade({}, { cacheMaxAgeSeconds: 60 });
    const answer = await facade.inject({ method: "GET", url: "/subscription_status?app_id=shop&fpcid=v" });
    expect(answer.cookies.map((cookie) => cookie.maxAge)).toEqual([60, 60, 60]);
  });

  it("answers HEAD like GET without a body", async () => {
    const { facade } = openFacade();
    const answer = await facade.inject({ method: "HEAD", url: "/healthz" });
    expect([answer.statusCode, answer.body]).toEqual([200, ""]);
  });

  it("serves the given files below /demo/ and no others", async () => {
    const files = new Map([["/demo/", { contentType: "text/html; charset=utf-8", body: "<p>demo" }]]);
    const { facade } = openFacade({}, { staticFiles: (path) => files.get(path) });
    expect(await facade.inject({ method: "GET", url: "/demo/" })).toMatchObject({ statusCode: 200, body: "<p>demo" });
    expect(await facade.inject({ method: "GET", url: "/demo/../package.json" })).toMatchObject({ statusCode: 404 });
    expect((await facade.inject({ method: "GET", url: "/demo" })).headers.location).toBe("/demo/");
    const { etag = "" } = (await facade.inject({ method: "GET", url: "/demo/" })).headers;
    const again = await facade.inject({ method: "GET", url: "/demo/", headers: { "if-none-match": String(etag) } });
    expect([again.statusCode, again.body, etag !== ""]).toEqual([304, "", true]);
    const { facade: withoutDemo } = openFacade();
    for (const url of ["/demo", "/demo/"])
      expect(await withoutDemo.inject({ method: "GET", url })).toMatchObject({ statusCode: 404 });
  });

  it("counts form fields beyond the limits", async () => {
    const counted: unknown[] = [];
    const metrics = { count: (...args: unknown[]) => void counted.push(args), observe: () => {} };
    const { facade } = openFacade({}, { metrics });
    await facade.inject(trace(`app_id=shop&action_type=other&x=${"x".repeat(131_073)}`));
    expect(counted).toContainEqual(["facade_form_dropped", { reason: "value_size" }, 1]);
    expect(counted).toContainEqual(["facade_requests", { operation: "trace", status: "200" }]);
  });

  it("logs a failure with its request id and nothing that was sent", async () => {
    const lines: string[] = [];
    const add = (...args: unknown[]) => void lines.push(JSON.stringify(args));
    const logger = { error: add, warn: add };
    const { facade } = openFacade({ recordEvent: new ConnectError("internal error", Code.Internal) }, { logger });
    const marked = "marker-4711";
    await facade.inject(
      trace(`app_id=shop&action_type=${marked}&email=${marked}%40example.com&c_id=${marked}&x=${marked}`, {
        ...FORM,
        cookie: `fp_ccid=${marked}`,
        "user-agent": marked,
        "x-request-id": "request-42",
      }),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("request-42");
    expect(lines[0]).not.toContain(marked);
  });

  it("warns once about requests through an unknown proxy, and names the setting", async () => {
    const lines: string[] = [];
    const logger = {
      error: () => undefined,
      warn: (_: unknown, message: string) => void lines.push(message),
    };
    const { facade } = openFacade({}, { logger });
    await facade.inject(trace("app_id=shop&action_type=other"));
    expect(lines).toEqual([]);
    for (const address of ["198.51.100.1", "198.51.100.2"])
      await facade.inject(trace("app_id=shop&action_type=other", { ...FORM, "x-forwarded-for": address }));
    expect(lines).toEqual([expect.stringMatching(/--trusted-proxies.*AISLE_TRUSTED_PROXIES/)]);
  });

  it("logs nothing while the store is down, which has its own metrics", async () => {
    const lines: unknown[] = [];
    const add = (...args: unknown[]) => void lines.push(args);
    const logger = { error: add, warn: add };
    const { facade } = openFacade({ recordEvent: new ConnectError("down", Code.Unavailable) }, { logger });
    expect((await facade.inject(trace("app_id=shop&action_type=other"))).statusCode).toBe(503);
    expect(lines).toEqual([]);
  });
});
