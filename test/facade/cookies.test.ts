import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStatusCookies, readCookie, type VisitorStatus } from "../../src/facade/cookies.js";

describe("the cookie parser", () => {
  it.each([
    ["fp_ccid=v1", "v1"],
    ["a=b; fp_ccid=v1; c=d", "v1"],
    ["a=b;fp_ccid=v1", "v1"],
    ["xfp_ccid=no; fp_ccid=v1", "v1"],
    ["fp_ccidx=no; fp_ccid=v1", "v1"],
    ["a=fp_ccid=no; fp_ccid=v1", "v1"],
    ["fp_ccid=v1; fp_ccid=v2", "v1"],
    ['fp_ccid="v1"', "v1"],
    ["fp_ccid=a%20b", "a b"],
    ["fp_ccid=100%", "100%"],
    ["fp_ccid=a=b", "a=b"],
    ["fp_ccid=", ""],
    ["other=v1", ""],
    ["", ""],
    [undefined, ""],
  ])("reads from %j the value %j", (header, value) => {
    expect(readCookie(header, "fp_ccid")).toBe(value);
  });

  it("parses any header without an error", () => {
    const header = fc
      .array(fc.constantFrom("fp_ccid", "=", ";", " ", '"', "%", "%zz", "x"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(header, (text) => {
        expect(readCookie(text, "fp_ccid")).toBeTypeOf("string");
      }),
    );
  });
});

const STATES: readonly VisitorStatus[] = [
  { identified: true, status: true },
  { identified: true, status: false },
  { identified: true, status: null },
  { identified: false, status: null },
];

/** What a browser sends back after these Set-Cookie headers. */
function sentBack(headers: readonly string[]): string {
  return headers.map((header) => header.split(";")[0]).join("; ");
}

describe("the subscription cookies", () => {
  const cookies = createStatusCookies(false, 1800);

  it.each(STATES)("return %j to the same visitor of the same app", (state) => {
    const header = sentBack(cookies.store("shop", "visitor-1", state));
    expect(cookies.read(header, "shop", "visitor-1")).toEqual(state);
  });

  it("are read for no other visitor and no other app", () => {
    const header = sentBack(cookies.store("shop", "visitor-1", STATES[0]!));
    expect(cookies.read(header, "shop", "visitor-2")).toBeUndefined();
    expect(cookies.read(header, "shop2", "visitor-1")).toBeUndefined();
    expect(cookies.read(header, "sho", "visitor-1")).toBeUndefined();
  });

  it("are never read where caching is off", () => {
    const header = sentBack(cookies.store("shop", "visitor-1", STATES[0]!));
    expect(createStatusCookies(false, 0).read(header, "shop", "visitor-1")).toBeUndefined();
  });

  it("do not contain the visitor's id", () => {
    expect(cookies.store("shop", "visitor-1", STATES[0]!).join()).not.toContain("visitor-1");
  });
});
