import fc from "fast-check";
import { BSON } from "mongodb";
import { describe, expect, it } from "vitest";
import { DataDamaged } from "../../src/domain/errors.js";
import {
  flag,
  type Kind,
  later,
  list,
  map,
  number,
  oneOf,
  orNull,
  record,
  text,
} from "../../src/store/schema/kinds.js";
import { SCHEMA } from "../../src/store/schema/schema.js";
import { anyEvent, anyProduct, product } from "../contract/samples.js";

/** What a server gives back. */
function stored(value: unknown): unknown {
  return BSON.deserialize(BSON.serialize({ value })).value;
}

describe("records encoded as documents", () => {
  it("return what was written through BSON: any names, texts and numbers", () => {
    fc.assert(
      fc.property(anyEvent, anyProduct, (event, product) => {
        expect(SCHEMA.events.fromDocument(stored(SCHEMA.events.toDocument(event)))).toEqual(event);
        expect(SCHEMA.products.fromDocument(stored(SCHEMA.products.toDocument(product)))).toEqual(product);
      }),
    );
  });

  it("keep numbers that some servers change", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e300, 2 ** 53]) {
      const written = number.toDocument(value);
      expect(Object.is(number.fromDocument(stored(written)), value)).toBe(true);
      if (typeof written === "number") expect(Number.isFinite(written)).toBe(true);
    }
  });

  it("are copies of what was written", () => {
    const tags = ["a"];
    const written = SCHEMA.products.toDocument(product("p", { tags }));
    tags.push("b");
    expect(SCHEMA.products.fromDocument(written).tags).toEqual(["a"]);
  });

  it("are decoded without unknown fields", () => {
    const kind = record<{ readonly a: string }>({ a: text });
    expect(kind.fromDocument({ a: "1", b: 2 })).toEqual({ a: "1" });
  });

  it.each<[string, () => unknown]>([
    ["a number for a text", () => text.fromDocument(1)],
    ["a text for a number", () => number.fromDocument("1")],
    ["a text for a flag", () => flag.fromDocument("true")],
    ["null where none may be", () => text.fromDocument(null)],
    ["nothing", () => orNull(text).fromDocument(undefined)],
    ["a text that is not in the list", () => oneOf("a", "b").fromDocument("c")],
    ["an object for a list", () => list(text).fromDocument({ 0: "a" })],
    ["a list with a wrong element", () => list(text).fromDocument(["a", 1])],
    ["a name without a value", () => map(text).fromDocument(["a"])],
    ["a list for an object", () => map(text).fromDocument({ a: "b" })],
    ["a text for an object", () => record<{ readonly a: string }>({ a: text }).fromDocument("a")],
    ["an object without a field", () => record<{ readonly a: string }>({ a: text }).fromDocument({})],
    ["an inherited field", () => record<{ readonly toString: string }>({ toString: text }).fromDocument({})],
  ])("are rejected as damaged with %s", (_, read) => {
    expect(read).toThrow(DataDamaged);
  });
});

describe("records encoded as cells", () => {
  const cellsOf = <T>(kind: Kind<T>, value: T) => {
    const cells = new Array<unknown>(kind.width);
    kind.put(value, cells, 0);
    return cells;
  };
  const money = record<{ readonly amount: string; readonly currency: string }>({ amount: text, currency: text });
  const line = record({ id: text, price: money.inline, count: number }, { gone: [3] });

  it("have fields by position, those of an inlined record among them", () => {
    const value = { id: "a", price: { amount: "1", currency: "EUR" }, count: 2 };
    expect(cellsOf(line, value)).toEqual([["a", "1", "EUR", null, 2]]);
    expect(cellsOf(line.inline, value)).toEqual(["a", "1", "EUR", null, 2]);
    expect(cellsOf(list(money.inline), [value.price, value.price])).toEqual([["1", "EUR", "1", "EUR"]]);
    expect(line.inline.take(["a", "1", "EUR", null, 2], 0, 5)).toEqual(value);
  });

  it("distinguish null from an inlined record whose cells are all empty", () => {
    const kind = orNull(money.inline);
    expect(cellsOf(kind, null)).toEqual(["", ""]);
    expect(kind.take(["", ""], 0, 2)).toBeNull();
    expect(kind.take(["1", ""], 0, 2)).toEqual({ amount: "1", currency: "" });
  });

  it("have the default in a field that was added later, and none in another", () => {
    const kind = record({ a: text, b: later(number, 7) });
    expect(kind.take([["x"]], 0, 1)).toEqual({ a: "x", b: 7 });
    expect(kind.take([["x", 8]], 0, 1)).toEqual({ a: "x", b: 8 });
    expect(() => kind.take([[]], 0, 1)).toThrow(DataDamaged);
  });

  it("are decoded without cells past their last field", () => {
    const kind = record({ a: text, b: later(number, 7) });
    expect(kind.inline.take(["x", 99], 0, 1)).toEqual({ a: "x", b: 7 });
  });

  it("are completed as the record declares", () => {
    const complete = (value: { a: number; b: number }) => (value.b === -1 ? { ...value, b: value.a } : value);
    const kind = record({ a: number, b: later(number, -1) }, { complete });
    expect(kind.inline.take([3], 0, 1)).toEqual({ a: 3, b: 3 });
    expect(kind.inline.take([3, 4], 0, 2)).toEqual({ a: 3, b: 4 });
    expect(kind.fromDocument({ a: 3 })).toEqual({ a: 3, b: 3 });
  });
});
