import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/parse/exact-json.js";
import { RUNS } from "../fixtures/runs.js";

describe("JSON with exact numbers", () => {
  it.each([
    ["12345678901234567891", "12345678901234567891"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740992", 9007199254740992],
    ["9007199254740993", "9007199254740993"],
    ["1e3", 1000],
    ["1e400", "1e400"],
    ["1e22", 1e22],
    ["123456789012345678e2", "123456789012345678e2"],
    ["0.1", 0.1],
    ["1.10", 1.1],
    ["0.10000000000000001", "0.10000000000000001"],
    ["1234567.12345678912345", "1234567.12345678912345"],
    ["-0", -0],
  ])("reads %s as %j", (text, value) => {
    expect(parseExactJson(text)).toBe(value);
    expect(parseExactJson(`{"id":[ ${text} ],"text":"${text}"}`)).toEqual({ id: [value], text });
  });

  it("reads a price with more digits than its double as a number, where only whole numbers keep theirs", () => {
    expect(parseExactJson('{"price":0.10000000000000001,"id":12345678901234567891}', "whole")).toEqual({
      price: 0.1,
      id: "12345678901234567891",
    });
  });

  it.each([
    "{12345678901234567891:1}",
    "{12345678901234567891 :1}",
    "012345678901234567891",
    "12345678901234567891.",
    "12345678901234567891.5.5",
    "-12345678901234567891-",
    "[1 12345678901234567891]",
    "12345678901234567891abc",
    "+12345678901234567891",
    '"12345678901234567891',
  ])("refuses %s", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it("reads what JSON.parse reads, and of whole numbers every digit", () => {
    const leaf = fc.oneof(fc.bigInt(), fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
    fc.assert(
      fc.property(fc.array(leaf), (values) => {
        const text = `[${values.map((value) => (typeof value === "bigint" ? String(value) : JSON.stringify(value))).join(",")}]`;
        const read = parseExactJson(text);
        const plain: unknown = JSON.parse(text);
        expect(
          Array.isArray(read) &&
            read.map((value, at) => (typeof values[at] === "bigint" ? String(BigInt(value)) : value)),
        ).toEqual(
          Array.isArray(plain) &&
            plain.map((value, at) => (typeof values[at] === "bigint" ? String(values[at]) : value)),
        );
      }),
      { numRuns: RUNS.many },
    );
  });
});
