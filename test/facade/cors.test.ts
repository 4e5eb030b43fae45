import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createOrigins, isSameSite, isWebOrigin, ORIGINS_MAX_AGE_MS } from "../../src/facade/cors.js";
import { Refused } from "../../src/facade/errors.js";
import { GetAppResponseSchema } from "../../src/gen/aisle/v1/app_service_pb.js";

/** An app service with settable answers that counts its calls, and a clock. */
function fixture() {
  const state = { now: 1, calls: 0, origins: ["https://shop.example"], error: undefined as ConnectError | undefined };
  const origins = createOrigins(
    {
      getApp: async ({ appId = "" }) => {
        state.calls++;
        if (state.error !== undefined) throw state.error;
        return create(GetAppResponseSchema, { app: { appId, allowedOrigins: state.origins } });
      },
    },
    () => state.now,
  );
  /** Whether a page may call; rejects when that cannot be said. */
  const allows = async (appId: string, origin: string): Promise<boolean> => {
    try {
      await origins.check(appId, origin);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      expect([error.status, error.text]).toEqual([403, "Origin not allowed"]);
      return false;
    }
  };
  return { state, origins, allows };
}

describe("the allowed origins of an app", () => {
  it("are compared without case and trailing slash", async () => {
    const { state, allows } = fixture();
    state.origins = ["https://Shop.Example/"];
    expect(await allows("shop", "https://shop.example")).toBe(true);
    expect(await allows("shop", "https://shop.example.evil.example")).toBe(false);
    expect(await allows("shop", "http://shop.example")).toBe(false);
  });

  it("include every origin where the app lists none", async () => {
    const { state, origins, allows } = fixture();
    state.origins = [];
    expect(await allows("shop", "https://any.example")).toBe(true);
    expect(await origins.lists("shop", "https://any.example")).toBe(false);
  });

  it("are looked up at most every five seconds, when a change takes effect", async () => {
    const { state, allows } = fixture();
    await allows("shop", "https://shop.example");
    state.origins = ["https://new.example"];
    state.now += ORIGINS_MAX_AGE_MS;
    expect(await allows("shop", "https://shop.example")).toBe(true);
    expect(state.calls).toBe(1);
    state.now += 1;
    expect(await allows("shop", "https://shop.example")).toBe(false);
  });

  it("are looked up once for concurrent requests", async () => {
    const { state, allows } = fixture();
    await Promise.all([allows("shop", "https://a.example"), allows("shop", "https://b.example")]);
    expect(state.calls).toBe(1);
  });

  it("reject no origin of an unknown app, which may exist a moment later", async () => {
    const { state, allows } = fixture();
    state.error = new ConnectError("no app", Code.NotFound);
    const answers = [allows("shop", "https://other.example"), allows("shop", "https://other.example")];
    expect(await Promise.all(answers)).toEqual([true, true]);
    state.error = undefined;
    expect(await allows("shop", "https://other.example")).toBe(false);
  });

  it("fail the request when they cannot be read", async () => {
    const { state, allows } = fixture();
    state.error = new ConnectError("down", Code.Unavailable);
    await expect(allows("shop", "https://shop.example")).rejects.toBe(state.error);
    state.error = undefined;
    expect(await allows("shop", "https://shop.example")).toBe(true);
  });

  it("are cached for at most 1,000 apps", async () => {
    const { state, allows } = fixture();
    for (let app = 0; app <= 1000; app++) await allows(`app${app}`, "https://shop.example");
    await allows("app1000", "https://shop.example");
    expect(state.calls).toBe(1001);
    await allows("app0", "https://shop.example");
    expect(state.calls).toBe(1002);
  });
});

describe("the Origin header", () => {
  it.each(["https://shop.example", "http://localhost:3000", "chrome-extension://abcdef", "http://[::1]:80"])(
    "%s can be echoed",
    (origin) => expect(isWebOrigin(origin)).toBe(true),
  );

  it.each([
    "null",
    "",
    "*",
    "https://",
    "https://a b",
    "https://shop.example/path",
    "shop.example",
    "https://u@shop.example",
  ])("%j cannot be echoed", (origin) => expect(isWebOrigin(origin)).toBe(false));
});

describe("a page's origin", () => {
  it.each([
    ["https://shop.example", undefined, "shop.example", true],
    ["https://shop.example:8443", undefined, "shop.example:8080", true],
    ["https://shop.example", undefined, "aisle.shop.example", true],
    ["https://www.shop.example", undefined, "shop.example", true],
    ["https://www.shop.example", undefined, "aisle.shop.example", false],
    ["https://www.shop.example", "same-site", "aisle.shop.example", true],
    ["https://shop.example", "cross-site", "shop.example", false],
    ["https://evilshop.example", undefined, "shop.example", false],
    ["null", undefined, "shop.example", false],
    ["https://shop.example", undefined, undefined, false],
  ])("of %s with Sec-Fetch-Site %s is same-site with %s: %s", (origin, fetchSite, host, same) => {
    expect(isSameSite(origin, fetchSite, host)).toBe(same);
  });
});
