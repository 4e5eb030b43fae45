import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refused } from "../../src/facade/errors.js";
import { parseJson } from "../../src/facade/json-body.js";
import { RUNS } from "../fixtures/runs.js";

const INVALID = new Refused(400, "Invalid JSON");

/** How deep arrays and objects are nested in a value. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const leaf = fc.oneof(
  fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", "a", "\u2028") }),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.dictionary(fc.constantFrom("a", "__proto__", "[", '\\"'), fc.string(), { maxKeys: 2 }),
);
const wrapping = fc.constantFrom<(inner: unknown) => unknown>(
  (inner) => [inner],
  (inner) => ["[", inner, {}],
  (inner) => ({ '"}': inner, "{": "{" }),
);
/** A value with up to twelve levels around it. */
const json = fc
  .tuple(leaf, fc.array(wrapping, { maxLength: 12, size: "max" }))
  .map(([value, around]) => around.reduce<unknown>((inner, wrap) => wrap(inner), value));

describe("the JSON body parser", () => {
  it("accepts any value nested at most 8 deep, and rejects deeper ones", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        if (depthOf(JSON.parse(text)) > 8) expect(() => parseJson(text)).toThrow(INVALID);
        else expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: RUNS.many },
    );
  });

  it("rejects text that is not JSON, and throws nothing else", () => {
    const broken = fc.array(fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", ":", "1", "null", " ", "\0"));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          broken.map((pieces) => pieces.join("")),
        ),
        (text) => {
          let expected: unknown;
          try {
            expected = JSON.parse(text);
          } catch {
            expect(() => parseJson(text)).toThrow(INVALID);
            return;
          }
          if (depthOf(expected) <= 8) expect(parseJson(text)).toEqual(expected);
        },
      ),
      { numRuns: RUNS.many },
    );
  });

  it.each([
    ["arrays", "[".repeat(500_000) + "]".repeat(500_000)],
    ["objects", `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`],
    ["arrays that never close", "[".repeat(1_000_000)],
  ])("rejects %s nested as deep as a body can be", (_, text) => {
    expect(() => parseJson(text)).toThrow(INVALID);
  });

  it.each([
    ["empty arrays", `[${"[],".repeat(2_000)}1]`],
    ["numbers", `[${"1,".repeat(2_000)}1]`],
    ["names", `{${Array.from({ length: 2_000 }, (_, n) => `"k${n}":1`).join()}}`],
  ])("rejects %s beyond what a body of known fields can hold", (_, text) => {
    expect(() => parseJson(text)).toThrow(INVALID);
  });

  it("accepts as many of the shortest interactions as a body can hold", () => {
    const one = '{"productInteractionType":"view","productId":"1","utcInteractionDate":"2026-01-01T00:00:00Z"}';
    const text = `{"appId":"a","productInteractions":[${Array(Math.floor((1024 * 1024 - 60) / (one.length + 1)))
      .fill(one)
      .join()}]}`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it("reads brackets and quotation marks in strings as text", () => {
    const value = { a: '[[[[[[[[[["{{{{{{{{{{\\', b: ["\\\\", '\\"'] };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });
});
