import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readForm } from "../../src/facade/form.js";
import { readMultipart } from "../../src/facade/multipart.js";

const TYPE = "multipart/form-data; boundary=XX";
const part = (name: string, value: string, more = "") =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const read = async (body: string | Uint8Array) => readMultipart(TYPE, Buffer.from(body));

describe("the multipart parser", () => {
  it("reads text parts as fields, the first value of a name", async () => {
    const form = await read(`${part("a", "1")}${part("b", "ü\r\n2")}${part("a", "3")}${part("c", "")}--XX--\r\n`);
    expect([...form.fields]).toEqual([
      ["a", "1"],
      ["b", "ü\r\n2"],
    ]);
  });

  it("reads a part without a name as a field without one", async () => {
    const form = await read(`--XX\r\nContent-Disposition: form-data\r\n\r\n1\r\n${part("a", "2")}--XX--\r\n`);
    expect(form.fields.get("a")).toBe("2");
  });

  it("drops files and counts them", async () => {
    const form = await read(`${part("f", "data", '; filename="x.png"')}${part("a", "1")}--XX--\r\n`);
    expect([...form.fields]).toEqual([["a", "1"]]);
    expect(form.droppedFields).toBe(1);
  });

  it("reads 256 parts and counts that there were more", async () => {
    const filler = Array.from({ length: 255 }, () => part("a", "")).join("");
    const form = await read(`${filler}${part("b", "1")}${part("c", "2")}${part("d", "3")}--XX--\r\n`);
    expect([...form.fields]).toEqual([["b", "1"]]);
    expect(form.droppedFields).toBe(1);
  });

  it("reads the last part within the limit, wherever the body is cut into pieces", async () => {
    for (let length = 0; length < 400; length++) {
      const filler = Array.from({ length: 255 }, () => part("a", "")).join("");
      const form = await read(`${filler}${part("b", "x".repeat(length + 1))}${part("c", "2")}--XX--\r\n`);
      expect([...form.fields.keys()], `${length}`).toEqual(["b"]);
    }
  });

  it("skips everything after the last part within the limit", async () => {
    const far = "x".repeat(100_000);
    const read = (parts: number) =>
      readMultipart(
        TYPE,
        Buffer.from(`${part("b", "1")}${part("a", "").repeat(parts)}${part("f", far, '; filename="x"')}--XX`),
      );
    expect((await read(255)).droppedFields, "the file is the 257th part").toBe(1);
    expect((await read(254)).droppedFields, "the file is the 256th part").toBe(1);
    expect([...(await read(600)).fields]).toEqual([["b", "1"]]);
  });

  it("reads the same fields as from a form", async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.[\]-]{1,20}$/);
    // A part's end is told by its boundary, which a value cannot hold.
    const value = fc.string({ unit: "binary" }).map((text) => Buffer.from(text).toString().replaceAll("--XX", ""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 20 }), async (pairs) => {
        const form = await read(`${pairs.map(([key, text]) => part(key, text)).join("")}--XX--\r\n`);
        expect([...form.fields]).toEqual([...readForm(new URLSearchParams(pairs).toString()).fields]);
      }),
    );
  });

  it("returns fields for any bytes", async () => {
    const piece = fc.constantFrom(
      "--XX",
      "--",
      "\r\n",
      "\r\n\r\n",
      'Content-Disposition: form-data; name="a"',
      "x",
      "\0",
      "XX",
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((parts) => Buffer.from(parts.join(""))),
      fc.uint8Array({ maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        expect((await read(body)).fields).toBeInstanceOf(Map);
      }),
    );
  });
});
