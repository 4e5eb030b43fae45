import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeTwiceEncoded, readForm } from "../../src/facade/form.js";

const KNOWN = new Set(["a", "b", "c", "phone"]);

function once(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

/** As a sender does that encodes each value and then the form. */
function twice(fields: Record<string, string>): string {
  const encoded = Object.entries(fields).map(([name, value]) => [name, once({ "": value }).slice(1)] as const);
  return once(Object.fromEntries(encoded));
}

function read(body: string): Record<string, string> {
  const { fields } = readForm(body);
  decodeTwiceEncoded(fields, KNOWN);
  return Object.fromEntries(fields);
}

describe("double-encoded values", () => {
  it("are decoded twice when one of them shows it", () => {
    const value = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(value, value, (b, c) => {
        const fields = { a: "buyer@example.com", b, c };
        expect(read(twice(fields))).toEqual(fields);
      }),
    );
  });

  it("are not assumed for text that no encoder could have made", () => {
    const fields = { a: "50%25 off", b: "a%20b|c", c: "ü%41" };
    expect(read(once(fields))).toEqual(fields);
  });

  it("are not detected by unknown fields", () => {
    expect(read(once({ other: "x%40y", a: "1+1" }))).toEqual({ other: "x%40y", a: "1+1" });
  });
});
