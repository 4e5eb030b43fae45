import { expect, it } from "vitest";
import { createFacade, type FacadeOptions } from "../../src/facade/facade.js";

const never = () => Promise.reject(new Error("no call is expected"));
const facade = createFacade({
  clients: {
    events: { recordEvent: never },
    subscriptions: { getStatus: never, getLink: never, followLink: never },
    recommendations: { recommend: never, recommendPage: never },
    apps: { getApp: never },
  } satisfies FacadeOptions["clients"],
  now: () => 0,
  newRequestId: () => "id",
  ready: async () => undefined,
  isStopping: () => false,
  helperScript: Buffer.from("/* the helper */"),
  helperStyle: Buffer.from(".aisle-frame {}"),
});

const get = (headers: Record<string, string> = {}) => facade.inject({ url: "/aisle.js", headers });

it("aisle.js is served as a script that any page may load", async () => {
  const { statusCode, headers, body } = await get();
  expect([statusCode, body]).toEqual([200, "/* the helper */"]);
  expect(headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=3600",
    "cross-origin-resource-policy": "cross-origin",
  });
});

it("aisle.css is served as a style sheet, cached as the script is", async () => {
  const { statusCode, headers, body } = await facade.inject({ url: "/aisle.css" });
  expect([statusCode, body]).toEqual([200, ".aisle-frame {}"]);
  expect(headers).toMatchObject({
    "content-type": "text/css; charset=utf-8",
    "cache-control": "public, max-age=3600",
    "cross-origin-resource-policy": "cross-origin",
    etag: expect.any(String),
  });
});

it.each([
  ["its tag", (etag: string) => etag, 304],
  ["its tag as a weak one among others", (etag: string) => `"a", W/${etag}`, 304],
  ["any", () => "*", 304],
  ["another tag", () => '"a"', 200],
])("aisle.js is sent again or not to a browser that has %s: %#", async (_, tags, status) => {
  const { etag } = (await get()).headers;
  const answer = await get({ "if-none-match": tags(String(etag)) });
  expect(answer.statusCode).toBe(status);
  expect(answer.body === "").toBe(status === 304);
});

it("aisle.js accepts no method but GET and HEAD", async () => {
  const answer = await facade.inject({ method: "POST", url: "/aisle.js" });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
});
