import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { webUrl } from "../../src/domain/product.js";
import { RUNS } from "../fixtures/runs.js";

describe("webUrl", () => {
  it("rejects a URL that the URL parser rejects", () => {
    const host = fc.stringMatching(/^[a-z0-9.:@%_-]{0,12}(xn--)?[A-Za-z0-9.-]{0,6}$/);
    const path = fc.oneof(fc.constant(""), fc.stringMatching(/^[/?#][!-~ é]{0,8}$/));
    fc.assert(
      fc.property(fc.constantFrom("http://", "https://", "HTTPS://"), host, path, (scheme, name, rest) => {
        const text = scheme + name + rest;
        const isTaken = webUrl(text) !== "";
        expect(isTaken).toBe(URL.canParse(text.trim()));
      }),
      { numRuns: RUNS.many },
    );
  });

  it("writes a URL as the URL parser does", () => {
    const path = fc.stringMatching(/^\/([!-~]|\.|\/|%2e|é|\\){0,12}$/);
    const host = fc.constantFrom(
      "shop.example",
      "Shop.Example",
      "a-b.shop.example",
      "shop.example:443",
      "xn--bcher-kva.example",
    );
    fc.assert(
      fc.property(fc.constantFrom("http://", "https://", "HTTPS://"), host, path, (scheme, name, rest) => {
        expect(webUrl(scheme + name + rest)).toBe(new URL(scheme + name + rest).href);
      }),
      { numRuns: RUNS.many },
    );
  });

  it("escapes quotes that would end an HTML attribute", () => {
    expect(webUrl('https://a.example/x"onerror="alert(1)')).toBe("https://a.example/x%22onerror=%22alert(1)");
    expect(webUrl("https://a.example/<script>?a='b'")).toBe("https://a.example/%3Cscript%3E?a=%27b%27");
  });

  it.each([
    ["https://shop.example.com/a/b.html?x=1#y", true],
    ["http://shop.example.com/", true],
    ["http://1.2.3.4/a", true],
    ["http://1.2.3.999/a", false],
    ["http://a.xn--zz--zz/", URL.canParse("http://a.xn--zz--zz/")], // newer versions of Node take it
    ["ftp://shop.example.com/", false],
    ["//shop.example.com/a", false],
    [`https://shop.example.com/${"a".repeat(3000)}`, false],
  ])("accepts %s: %s", (url, isTaken) => {
    expect(webUrl(url)).toBe(isTaken ? url : "");
  });
});
