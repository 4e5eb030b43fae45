import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Link, readLinkToken, writeLinkToken } from "../../../src/identity/links/link-token.js";
import { RUNS } from "../../fixtures/runs.js";

const KEY = Buffer.alloc(32, 7);
const NOW = Date.UTC(2026, 10, 21);
const LINK: Link = {
  appId: "shop",
  purpose: "unsubscribe",
  channel: "email",
  contactId: "contact:01a1fe54-c5de-7684-8bcc-4ab598bff128",
  validUntil: NOW + 60_000,
};
const ADDRESS = "ada@shop.example";

const links: fc.Arbitrary<Link> = fc.record({
  appId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  purpose: fc.constantFrom("confirm" as const, "unsubscribe" as const),
  channel: fc.constantFrom("email" as const, "sms" as const),
  contactId: fc.stringMatching(/^[a-z0-9:-]{1,60}$/),
  validUntil: fc.integer({ min: 1, max: 2 ** 40 }).map((seconds) => seconds * 1000),
});

describe("a link token", () => {
  it("contains what it was made of and is valid for its key and address until it expires", () => {
    fc.assert(
      fc.property(links, fc.uint8Array({ minLength: 16, maxLength: 64 }), fc.string(), (link, key, address) => {
        const read = readLinkToken(writeLinkToken(key, link, address));
        expect(read).toMatchObject(link);
        expect(read?.isGood(key, address, link.validUntil - 1)).toBe(true);
        expect(read?.isGood(key, address, link.validUntil)).toBe(false);
      }),
    );
  });

  it("fits into a URL unchanged and contains no address", () => {
    const token = writeLinkToken(KEY, LINK, ADDRESS);
    expect(encodeURIComponent(token)).toBe(token);
    expect(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).not.toContain("ada");
  });

  it.each([
    ".",
    ">",
    ")",
    ".>",
    '"',
    "'",
    ",",
    ";",
    "!",
    " ",
    "\r\n",
    "=",
    "_",
    "*",
    "\u201d",
    "].",
    "/",
    "</a>",
    "&gt;",
    "&amp;",
    "&quot;",
    "=3D",
    "=20",
    "/>Unsubscribe",
    "_</em>",
    "\n\nBye",
  ])("is read with %j that a mail left behind it", (rest) => {
    const token = writeLinkToken(KEY, LINK, ADDRESS);
    expect(readLinkToken(token + rest)?.isGood(KEY, ADDRESS, NOW)).toBe(true);
    expect(readLinkToken(`<${token}${rest}`)?.isGood(KEY, ADDRESS, NOW)).toBe(true);
  });

  it("is invalid with a letter or a digit behind it", () => {
    const token = writeLinkToken(KEY, LINK, ADDRESS);
    for (const rest of ["a", "Z", "0", "-x", "_0"]) expect(readLinkToken(token + rest)).toBeUndefined();
  });

  it("is invalid with another key or for another address", () => {
    const read = readLinkToken(writeLinkToken(KEY, LINK, ADDRESS));
    expect(read?.isGood(Buffer.alloc(32, 8), ADDRESS, NOW)).toBe(false);
    expect(read?.isGood(KEY, "bob@shop.example", NOW)).toBe(false);
    expect(read?.isGood(KEY, ADDRESS, NOW)).toBe(true);
  });

  it("is invalid when any of its characters is changed", () => {
    const token = writeLinkToken(KEY, LINK, ADDRESS);
    const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const place = fc.integer({ min: 0, max: token.length - 1 });
    fc.assert(
      fc.property(place, fc.constantFrom(...characters), (at, character) => {
        fc.pre(token[at] !== character);
        const read = readLinkToken(token.slice(0, at) + character + token.slice(at + 1));
        expect(read?.isGood(KEY, ADDRESS, NOW) ?? false).toBe(false);
      }),
      { numRuns: RUNS.many },
    );
  });

  it("of another app is invalid for this app, even with the same key", () => {
    const [, payload, mac] = writeLinkToken(KEY, LINK, ADDRESS).split(".");
    expect(readLinkToken(`other.${payload}.${mac}`)?.isGood(KEY, ADDRESS, NOW)).toBe(false);
  });

  it.each([
    "",
    "shop",
    "shop..",
    "shop.AQAA.x",
    "a b.AQEAAAAAAAAAYQ.AAAAAAAAAAAAAAAAAAAAAA",
    `shop.${"AQ".repeat(600)}.AAAAAAAAAAAAAAAAAAAAAA`,
  ])("%.40j is no valid link token", (text) => {
    expect(readLinkToken(text)).toBeUndefined();
  });

  it("is parsed from any text without an error", () => {
    fc.assert(fc.property(fc.string(), (text) => void readLinkToken(text)));
  });
});
