import fc from "fast-check";
import { BSON } from "mongodb";
import { describe, expect, it } from "vitest";
import { productShape } from "../../../src/adapters/mongo/records/catalog.js";
import { eventShape } from "../../../src/adapters/mongo/records/event.js";
import { flag, list, map, number, oneOf, orNull, record, text } from "../../../src/adapters/mongo/shape.js";
import { DataDamaged } from "../../../src/domain/errors.js";
import { anyEvent, anyProduct, product } from "../../contract/samples.js";

/** What a server gives back. */
function stored(value: unknown): unknown {
  return BSON.deserialize(BSON.serialize({ value })).value;
}

describe("shapes of stored values", () => {
  it("give back through BSON what was written, any names, texts and numbers", () => {
    fc.assert(
      fc.property(anyEvent, anyProduct, (event, product) => {
        expect(eventShape.read(stored(eventShape.write(event)))).toEqual(event);
        expect(productShape.read(stored(productShape.write(product)))).toEqual(product);
      }),
    );
  });

  it("keep numbers that not every server does", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e300, 2 ** 53]) {
      const written = number.write(value);
      expect(Object.is(number.read(stored(written)), value)).toBe(true);
      if (typeof written === "number") expect(Number.isFinite(written)).toBe(true);
    }
  });

  it("copy what they write", () => {
    const tags = ["a"];
    const written = productShape.write(product("p", { tags }));
    tags.push("b");
    expect(productShape.read(written).tags).toEqual(["a"]);
  });

  it("pass over fields they do not know", () => {
    const shape = record<{ readonly a: string }>({ a: text });
    expect(shape.read({ a: "1", b: 2 })).toEqual({ a: "1" });
  });

  it.each<[string, () => unknown]>([
    ["a number for a text", () => text.read(1)],
    ["a text for a number", () => number.read("1")],
    ["a text for a flag", () => flag.read("true")],
    ["null where none may be", () => text.read(null)],
    ["nothing", () => orNull(text).read(undefined)],
    ["a text that is not in the list", () => oneOf("a", "b").read("c")],
    ["an object for a list", () => list(text).read({ 0: "a" })],
    ["a list with a wrong element", () => list(text).read(["a", 1])],
    ["a name without a value", () => map(text).read(["a"])],
    ["a list for an object", () => map(text).read({ a: "b" })],
    ["a text for an object", () => record<{ readonly a: string }>({ a: text }).read("a")],
    ["an object without a field", () => record<{ readonly a: string }>({ a: text }).read({})],
    ["an inherited field", () => record<{ readonly toString: string }>({ toString: text }).read({})],
  ])("refuse %s as damaged", (_, read) => {
    expect(read).toThrow(DataDamaged);
  });
});
