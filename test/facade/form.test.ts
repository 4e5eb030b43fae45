import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePart, readForm } from "../../src/facade/form.js";
import { isLonger } from "../../src/facade/text-values.js";
import { RUNS } from "../fixtures/runs.js";

const UNLIMITED = { fields: Number.POSITIVE_INFINITY, valueBytes: Number.POSITIVE_INFINITY };

/** Text made of the pieces that make forms hard. */
const formText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "&",
        "=",
        "+",
        "%",
        "%2",
        "%zz",
        "%26",
        "%3D",
        "%C3%BC",
        "%FF",
        "%E2%82",
        "__proto__",
        "a",
        "ü",
        "😀",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join("")).toString());

/**
 * What the URL standard reads, with our two additions: no empty values, the first value wins. Characters beyond ASCII are
 * given as the `%XX` they mean: Node's URLSearchParams (20.20) garbles them in a text such as `%2😀`.
 */
function byStandard(unescaped: string): Map<string, string> {
  const text = unescaped.replace(/[\u0080-\u{10ffff}]/gu, encodeURIComponent);
  const fields = new Map<string, string>();
  // The leading `?` is what the constructor strips; the standard's parser itself strips nothing.
  for (const [name, value] of new URLSearchParams(`?${text}`))
    if (value !== "" && !fields.has(name)) fields.set(name, value);
  return fields;
}

/** CPU of a call, µs, the least of three. */
function cpuOf(call: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    call();
    return process.cpuUsage(before).user;
  });
  return Math.max(1, Math.min(...times));
}

describe("the form parser", () => {
  it("parses any text as the URL standard does", () => {
    fc.assert(
      fc.property(formText, (text) => {
        expect(readForm(text, UNLIMITED).fields).toEqual(byStandard(text));
      }),
      { numRuns: RUNS.many },
    );
  });

  it("parses any bytes as the URL standard does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString("utf8");
        expect(readForm(text, UNLIMITED).fields).toEqual(byStandard(text));
      }),
    );
  });

  it("decodes any fields that were encoded", () => {
    const text = fc.string({ unit: "binary", minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(text, text), (fields) => {
        const encoded = new URLSearchParams(Object.entries(fields)).toString();
        expect(readForm(encoded, UNLIMITED).fields).toEqual(new Map(new URLSearchParams(Object.entries(fields))));
      }),
    );
  });

  it("reads the elements of a list as one text, each at its place", () => {
    const { fields } = readForm(
      "product_titles[]=&product_titles[]=B&product_ids[1]=2&product_ids[0]=1|1&foo[]=1&foo[]=2",
    );
    expect([...fields]).toEqual([
      ["foo[]", "1"],
      ["product_titles", "|B"],
      ["product_ids", "1 1|2"],
    ]);
  });

  it("takes a list that came as text before its elements", () => {
    expect(readForm("product_ids[]=2&product_ids=1").fields.get("product_ids")).toBe("1");
  });

  it("leaves a percent sign without two hex digits unchanged", () => {
    expect(decodePart("100%+of %4 %g0 %%41 %")).toBe("100% of %4 %g0 %A %");
  });

  it("keeps a field called __proto__ as a field", () => {
    const { fields } = readForm("__proto__=a&constructor=b");
    expect([...fields]).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
    expect(Object.prototype).not.toHaveProperty("a");
  });

  it("counts the values beyond its limit of fields", () => {
    const form = readForm("a=1&b=2&c=3&a=4&d=5&e=", { fields: 2, valueBytes: 100 });
    expect([...form.fields.keys()]).toEqual(["a", "b"]);
    expect(form.droppedFields).toBe(3);
  });

  it("keeps the same fields within its limits each time, which come first without limits", () => {
    fc.assert(
      fc.property(formText, fc.nat(6), fc.integer({ min: 1, max: 6 }), (text, fields, valueBytes) => {
        const limits = { fields, valueBytes };
        const form = readForm(text, limits);
        expect(form.fields.size).toBeLessThanOrEqual(fields);
        for (const value of form.fields.values()) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(valueBytes);
        expect(readForm(new URLSearchParams([...form.fields]).toString(), limits)).toEqual({
          fields: form.fields,
          lists: new Map(),
          droppedValues: 0,
          droppedFields: 0,
        });
        const all = readForm(text, { fields: Number.POSITIVE_INFINITY, valueBytes });
        expect([...form.fields]).toEqual([...all.fields].slice(0, fields));
      }),
    );
  });

  it("adds nothing to any prototype, whatever the names", () => {
    const name = fc.constantFrom("__proto__", "constructor", "prototype", "toString", "__proto__[x]", "a.__proto__.x");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ minLength: 1 }))), (pairs) => {
        const names = Object.getOwnPropertyNames(Object.prototype);
        expect(readForm(new URLSearchParams(pairs).toString()).fields).toEqual(
          new Map([...pairs].reverse().map(([key, value]) => [key, new URLSearchParams({ v: value }).get("v")])),
        );
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
        expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      }),
    );
  });

  it.each([
    ["names that are no UTF-8", (n: number) => `%ff${n}=%z`],
    ["one name that is no UTF-8", () => "%ff=1"],
    ["one name with values that are no UTF-8", () => "a=%ff"],
  ])("throws nothing inside, 100,000 times, for %s", (_, pair) => {
    const body = (of: (n: number) => string) => Array.from({ length: 100_000 }, (_, n) => of(n)).join("&");
    const plain = cpuOf(() => readForm(body((n) => `k${n}=1`)));
    // An exception for each costs a hundred times as much as a plain name.
    expect(cpuOf(() => readForm(body(pair))) / plain).toBeLessThan(50);
  });

  it("decodes 1,024 pairs, whatever their names, and counts the rest", () => {
    const form = readForm(`${"a=1&".repeat(1024)}b=2&c=3`);
    expect([...form.fields]).toEqual([["a", "1"]]);
    expect(form.droppedFields).toBe(2);
  });

  it("does not count names without a value", () => {
    const form = readForm("a=&b&c=&d=1&e=2", { fields: 2, valueBytes: 100 });
    expect(form).toMatchObject({ droppedFields: 0, fields: new Map(Object.entries({ d: "1", e: "2" })) });
  });

  it("measures values in bytes of UTF-8 and counts those too long", () => {
    const form = readForm("a=%C3%BC%C3%BC&b=%C3%BC%C3%BCx&c=xxxx", { fields: 9, valueBytes: 4 });
    expect([...form.fields.keys()]).toEqual(["a", "c"]);
    expect(form.droppedValues).toBe(1);
  });

  it("computes the UTF-8 length of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(60), (text, limit) => {
        expect(isLonger(text, limit)).toBe(Buffer.byteLength(text) > limit);
      }),
    );
  });
});
