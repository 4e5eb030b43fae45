import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, delimiterOf, MAX_RECORD_LINES } from "../../../src/catalog/feed/csv.js";
import { isBad } from "../../../src/catalog/feed/rows.js";
import { csvEntries, plainPlan } from "./product-rows.js";

const shown = (text: string, group?: number) =>
  csvEntries(text, plainPlan(), group).map((entry) =>
    isBad(entry) ? [entry.line, entry.reason] : [entry.line, entry.values.a, entry.values.b, entry.values.c],
  );

describe("createCsvReader", () => {
  it("reads quoted cells with delimiters, doubled quotation marks and line breaks", () => {
    expect(shown('a,b,c\n1,"x, ""y""",2\n3,"two\r\nlines",4\n5,6,7\n')).toEqual([
      [2, "1", 'x, "y"', "2"],
      [3, "3", "two\nlines", "4"],
      [5, "5", "6", "7"],
    ]);
  });

  it("keeps the original text of a record", () => {
    const [entry] = csvEntries('a,b,c\n1,"x\ny",2\n', plainPlan());
    expect(entry?.raw).toBe('1,"x\ny",2');
  });

  it("reports how many columns a line has when they do not match the header", () => {
    expect(shown("a,b,c\n1,2\n1,2,3,4\n1,2,3\n")).toEqual([
      [2, "the line has 2 columns, the header 3"],
      [3, "the line has 4 columns, the header 3"],
      [4, "1", "2", "3"],
    ]);
  });

  it("loses one line to a quotation mark that is never closed", () => {
    const lines = Array.from({ length: 50 }, (_, at) => `${at},x,y`).join("\n");
    const entries = shown(`a,b,c\n1,"never closed,2\n${lines}\n`);
    expect(entries[0]).toEqual([2, "a quotation mark is not closed or stands inside a value"]);
    expect(entries.slice(1)).toEqual(Array.from({ length: 50 }, (_, at) => [at + 3, String(at), "x", "y"]));
  });

  it("loses one line to an unclosed quotation mark before other quoted lines", () => {
    expect(shown('a,b,c\n1,"open,2\n3,"x",4\n5,"y",6\n')).toEqual([
      [2, "a quotation mark is not closed or stands inside a value"],
      [3, "3", "x", "4"],
      [4, "5", "y", "6"],
    ]);
  });

  it("searches a bounded number of lines for a closing quotation mark", () => {
    const lines = Array.from({ length: MAX_RECORD_LINES + 10 }, () => "x,y,z").join("\n");
    expect(shown(`a,b,c\n1,"open,2\n${lines}\n`, 100)).toHaveLength(MAX_RECORD_LINES + 11);
  });

  it("reads an inch mark inside a value as part of it", () => {
    expect(shown('a,b,c\n1,5" pipe,2\n3,4,5\n')).toEqual([
      [2, "1", '5" pipe', "2"],
      [3, "3", "4", "5"],
    ]);
  });

  it("reads an inch mark beside a quoted cell", () => {
    expect(shown('a,b,c\n"1,5",5" pipe,2\n')).toEqual([[2, "1,5", '5" pipe', "2"]]);
  });

  it.each(['"Best" tent,1,2', '1,"a "b",2', '"""Best"" tent",5" pipe,2'])(
    "rejects the line %s, and reads on",
    (line) => {
      expect(shown(`a,b,c\n${line}\n3,4,5\n`)).toEqual([
        [2, "a quotation mark is not closed or stands inside a value"],
        [3, "3", "4", "5"],
      ]);
    },
  );

  it("skips blank lines without miscounting", () => {
    expect(shown("a,b,c\n\n1,2,3\n \n4,5,6\n")).toEqual([
      [3, "1", "2", "3"],
      [5, "4", "5", "6"],
    ]);
  });

  it("returns cells of unknown columns as extras in order", () => {
    const [entry] = csvEntries("z,a,y\n1,2,3\n", plainPlan());
    expect(entry && !isBad(entry) && entry.extras).toEqual([
      ["z", "1"],
      ["y", "3"],
    ]);
  });

  it("reads the cells that a file was written of, however the lines arrive", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "ß", " ", ",", ";", '"', "\n", "1") });
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 });
    const quoted = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(table, quoted, fc.nat(5), (rows, choice, group) => {
        const text = rows
          .map((cells) =>
            cells
              .map((value) =>
                /[",\n]/.test(value) || choice.next().value ? `"${value.replaceAll('"', '""')}"` : value,
              )
              .join(","),
          )
          .join("\n");
        const got = csvEntries(`a,b,c\n${text}\n`, plainPlan(), group + 1).map((entry) =>
          isBad(entry) ? entry.reason : [entry.values.a, entry.values.b, entry.values.c],
        );
        expect(got).toEqual(rows);
      }),
    );
  });

  it("ends for any text with at most one row or rejection a line", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r\n"), maxLength: 200 });
    fc.assert(
      fc.property(text, (body) => {
        const entries = csvEntries(`a,b,c\n${body}`, plainPlan());
        expect(entries.length).toBeLessThanOrEqual(body.split("\n").length);
        const numbers = entries.map((entry) => entry.line);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      }),
    );
  });
});

describe("delimiterOf", () => {
  it.each([
    ["a,b,c", ","],
    ["a;b;c", ";"],
    ["a\tb\tc", "\t"],
    ["a|b", "|"],
    ['"a,b,c";d;e', ";"],
    ["single", ","],
  ])("finds the delimiter of %j", (header, delimiter) => {
    expect(delimiterOf(header)).toBe(delimiter);
  });
});

describe("columnsOf", () => {
  it("trims names and takes their quotation marks off", () => {
    expect(columnsOf(' id ;"long; name";c')).toEqual(["id", "long; name", "c"]);
  });
});
