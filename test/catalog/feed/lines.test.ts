import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter } from "../../../src/catalog/feed/lines.js";
import { linesOf } from "./product-rows.js";

describe("createLineSplitter", () => {
  it("numbers lines from 1 and drops LF and CRLF", () => {
    expect(linesOf("a\r\nb\n\nc")).toEqual([
      { line: 1, raw: "a", cut: false },
      { line: 2, raw: "b", cut: false },
      { line: 3, raw: "", cut: false },
      { line: 4, raw: "c", cut: false },
    ]);
  });

  it("drops a byte order mark before the first line only", () => {
    expect(linesOf("\uFEFFa\n\uFEFFb\n").map((line) => line.raw)).toEqual(["a", "\uFEFFb"]);
  });

  it("splits into the same lines however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("ä", "€", "😀", "x", "\n", "\r\n") }), fc.nat(9), (text, step) => {
        const expected = text.split("\n").map((line) => line.replace(/\r$/, ""));
        if (expected.at(-1) === "") expected.pop();
        expect(linesOf(text, step + 1).map((line) => line.raw)).toEqual(expected);
      }),
    );
  });

  it("keeps only the beginning of a line that is too long and continues with the next", () => {
    const splitter = createLineSplitter(10);
    const lines = [
      ...splitter.push(Buffer.from("0123456789")),
      ...splitter.push(Buffer.from("abcdefghijklm")),
      ...splitter.push(Buffer.from("n\nnext\n")),
    ];
    expect(lines).toEqual([
      { line: 1, raw: "0123456789", cut: true },
      { line: 2, raw: "next", cut: false },
    ]);
  });

  it("reads bytes that are not UTF-8 as U+FFFD", () => {
    const splitter = createLineSplitter();
    expect(splitter.push(Buffer.from([0x61, 0xe9, 0x62, 0x0a]))[0]?.raw).toBe("a\uFFFDb");
  });
});
