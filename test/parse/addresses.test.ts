import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emailKey, phoneKey, readEmail, readPhone } from "../../src/parse/addresses.js";
import { RUNS } from "../fixtures/runs.js";

describe("the key of an e-mail address", () => {
  it.each([
    ["an A-label", "a@xn--bcher-kva.example"],
    ["an A-label in capitals", "a@XN--BCHER-KVA.example"],
    ["a final dot", "a@bücher.example."],
    ["a combining umlaut", "a@bu\u0308cher.example"],
    ["full-width letters and dots", "a@ｂｕ\u0308ｃｈｅｒ。ｅｘａｍｐｌｅ"],
    ["capitals", "A@BÜCHER.Example"],
    ["U+200B before it", "\u200Ba@bücher.example"],
    ["a byte order mark before it", "\uFEFFa@bücher.example"],
    ["a soft hyphen in it", "a@bü\u00ADcher.example"],
    ["an override of direction", "a\u202E@bücher.example\u202C"],
    ["an isolate around it", "\u2068a@bücher.example\u2069"],
    ["a word joiner and a variation selector", "a\u2060\uFE0F@bücher.example"],
    ["blanks and a line break around it", "\u00A0 a@bücher.example\r\n"],
    ["quotes that it does not need", '"a"@bücher.example'],
  ])("is the same with %s", (_what, text) => {
    expect(emailKey(text)).toBe("a@xn--bcher-kva.example");
  });

  it("takes one blank inside the local part for a lost plus", () => {
    expect(emailKey("jan kowalski@x.de")).toBe(emailKey("Jan+Kowalski@x.de"));
    expect(readEmail(" Jan Kowalski@x.de")).toBe("Jan+Kowalski@x.de");
  });

  it("keeps a blank of a quoted local part", () => {
    expect(emailKey('"a b"@x.de')).toBe('"a b"@x.de');
  });

  it.each([
    ["U+FFFD", "a@x.de\uFFFD"],
    ["a control character", "a\u0000b@x.de"],
    ["a control character after it", "a@x.de\u0085"],
    ["a slash", "a@x.de/"],
    ["a slash in the local part", "a/b@x.de"],
    ["a query", "a@x.de?x"],
    ["a quote", 'a"b@x.de'],
    ["an open quote", '"a@x.de'],
    ["brackets", "<a@x.de>"],
    ["a scheme", "mailto:a@x.de"],
    ["a port", "a@x.de:25"],
    ["a per cent sign in the domain", "a@b%C3%BCcher.de"],
    ["a label that begins with a hyphen", "a@-x.de"],
    ["a label that ends with a hyphen", "a@x-.de"],
    ["a Unicode label that ends with a hyphen", "a@bücher-.de"],
    ["a label that begins with a full-width hyphen", "a@－bücher.de"],
    ["two dots in the domain", "a@x..de"],
    ["two dots in the local part", "a..b@x.de"],
    ["a dot at the end of the local part", "a.@x.de"],
    ["two final dots", "a@x.de.."],
    ["two blanks in the local part", "a b c@x.de"],
    ["a blank before the @", "a @x.de"],
    ["a blank in the domain", "a@x .de"],
    ["a domain of one label", "a@localhost"],
    ["an address of a host", "a@127.0.0.1"],
    ["a number of a host, in full-width digits", "a@１２７.1"],
    ["an A-label that stands for nothing", "a@xn--a.de"],
    ["an A-label that stands for ASCII", "a@xn--abc-.de"],
    ["an A-label of nothing", "a@xn--.de"],
    ["a sign that IDNA maps to a slash", "a@\u2100.de"],
    ["a label of 64 characters", `a@${"x".repeat(64)}.de`],
    ["a second @", "a@b@x.de"],
  ])("is none for an address with %s", (_what, text) => {
    expect(emailKey(text)).toBe("");
  });

  it("has itself as its key, and is the key of what is kept", () => {
    const text = fc.oneof(
      fc.emailAddress(),
      fc.stringMatching(/^[a-zäÖß "+.\u00AD\u200B]{1,8}@[a-zäÖß.-]{1,8}\.(de|рф|xn--p1ai)\.?$/),
    );
    fc.assert(
      fc.property(text, (email) => {
        const key = emailKey(email);
        expect(emailKey(key)).toBe(key);
        expect(emailKey(readEmail(email))).toBe(key);
      }),
      { numRuns: RUNS.many },
    );
  });
});

describe("the key of a phone number", () => {
  it.each([
    ["00", "0048601234567"],
    ["00 and blanks", "00 48 601 234 567"],
    ["a plus that became a blank", " 48601234567"],
    ["a plus that became a blank before 00", " 0048601234567"],
    ["separators of print", "+48\u2013601\u00A0234.567"],
    ["full-width digits", "＋４８６０１２３４５６７"],
    ["Arabic digits", "+٤٨٦٠١٢٣٤٥٦٧"],
    ["marks of direction", "\u202A+48601234567\u202C"],
    ["a 0 in brackets, which is dialled at home only", "+48 (0) 601 234 567"],
    ["the fraction of a float", "+48601234567.0"],
    ["the fraction of a float behind 00", "0048601234567.00"],
    ["the scheme tel", "tel:+48-601-234-567"],
  ])("is the same with %s", (_what, text) => {
    expect(phoneKey(text)).toBe("+48601234567");
  });

  it("keeps the 0 in brackets of Italian numbers, which is dialled from everywhere", () => {
    expect(phoneKey("+39 (0)6 1234567")).toBe("+39061234567");
  });

  it("has no digit of a float's fraction", () => {
    expect(phoneKey("48229362396.0")).toBe("48229362396");
    expect(readPhone("48229362396.0")).toBe("48229362396");
    expect(phoneKey("48.601.234.567.0")).toBe("486012345670");
  });

  it("is a national one where a 0 follows the plus", () => {
    expect(phoneKey(" 0601234567")).toBe(phoneKey("0601234567"));
  });

  it.each([
    "1234",
    "+48601234567 ext 5",
    "++48601234567",
    "48+601234567",
    "call me",
    "1".repeat(21),
    "4.82294E+10",
    "4.82294e10",
  ])("is none for %j", (text) => {
    expect(phoneKey(text)).toBe("");
  });

  it("has itself as its key, and is the key of what is kept", () => {
    const text = fc.stringMatching(/^(tel:)?[ +\u200E]{0,3}0{0,3}[0-9٠-٩ ()./-]{0,14}[ ]{0,2}$/);
    fc.assert(
      fc.property(text, (phone) => {
        const key = phoneKey(phone);
        expect(phoneKey(key)).toBe(key);
        expect(phoneKey(readPhone(phone))).toBe(key);
      }),
      { numRuns: RUNS.many },
    );
  });
});
