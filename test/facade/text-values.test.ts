import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanId, isAppId, isNothing, splitList } from "../../src/facade/text-values.js";
import { RUNS } from "../fixtures/runs.js";

describe("an id of a request", () => {
  it("is trimmed, and absent when it has over 255 bytes or a control character", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom("a", "ü", " ", "\ud800", "\u0000", "\u001f", "\u007f", "\u009f", "\u00a0", "😀"),
        maxLength: 130,
      }),
    );
    fc.assert(
      fc.property(text, (id) => {
        const inner = id.replace(/^ +| +$/g, "");
        const sane = Buffer.byteLength(inner) <= 255 && !/[\p{Cc}\p{Cs}]/u.test(inner);
        expect(cleanId(id)).toBe(sane ? inner : "");
      }),
      { numRuns: RUNS.many },
    );
  });

  it.each(["a", "5f0c1e2d3b4a9", "A-b_C", "x".repeat(64)])("of an app can be %s", (id) => {
    expect(isAppId(id)).toBe(true);
  });

  it.each(["", "a b", "a;b", "ä", "a\n", "x".repeat(65), "__proto__x="])("of an app cannot be %j", (id) => {
    expect(isAppId(id)).toBe(false);
  });
});

describe("a list in a form", () => {
  it.each([
    ["a,b", ["a", "b"]],
    ["a|b,c", ["a", "b,c"]],
    [" a | |b ", ["a", "b"]],
    ["null,undefined,a", ["a"]],
    ["", []],
  ])("%j is read as %j", (text, parts) => {
    expect(splitList(text, 10)).toEqual(parts);
  });
});

it.each(["", " ", "null", " undefined ", "[object Object]", "[object Object],[object Object]"])(
  "%j is read as absent",
  (text) => {
    expect(isNothing(text)).toBe(true);
  },
);

it.each(["0", "false", "NULL", "[object Object]s", "[object Object],1", "nulls"])("%j is read as a value", (text) => {
  expect(isNothing(text)).toBe(false);
});
