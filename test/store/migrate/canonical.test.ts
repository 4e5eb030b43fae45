import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, keyOrder } from "../../../src/store/migrate/canonical.js";
import { byCodePoints } from "../../contract/open-store.js";
import { event } from "../../contract/samples.js";

describe("the canonical text of a record", () => {
  it("does not depend on the order of fields", () => {
    expect(canonicalText({ a: 1, b: { c: null, d: [true] } })).toBe(canonicalText({ b: { d: [true], c: null }, a: 1 }));
  });

  it("is the same for values that a store may not distinguish", () => {
    expect(canonicalText(-0)).toBe(canonicalText(0));
    expect(canonicalText("a\ud800")).toBe(canonicalText("a\ufffd"));
  });

  it.each([
    [1, "1"],
    [null, "null"],
    [[], {}],
    [["a,b"], ["a", "b"]],
    [
      ["a", ["b"]],
      [["a"], "b"],
    ],
    [{ a: "1:b" }, { a: "1", b: "" }],
    [event("e1"), event("e1", { notes: [""] })],
  ])("differs between %j and %j", (a, b) => {
    expect(canonicalText(a)).not.toBe(canonicalText(b));
  });

  it("is the same for equal values only", () => {
    const values = fc.jsonValue();
    fc.assert(
      fc.property(values, values, (a, b) => {
        const equal = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(canonicalText(a) === canonicalText(b)).toBe(equal);
        expect(canonicalText(a)).toBe(canonicalText(structuredClone(a)));
      }),
    );
  });
});

describe("the order of copied keys", () => {
  it("is the order of their bytes", () => {
    const text = fc.string({ unit: "binary", maxLength: 5 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(keyOrder(a, b))).toBe(Math.sign(byCodePoints(a, b)));
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: fields.map(([name, field]) => [name, sorted(field)]) };
}
