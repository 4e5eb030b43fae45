import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFormTime, parseRfc3339 } from "../../src/parse/times.js";

const dates = fc.date({
  min: new Date("0001-01-01T00:00:00Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

describe("the RFC 3339 parser", () => {
  it("reads the times that browsers write", () => {
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseRfc3339(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it("reads any offset", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
        const pad = (n: number) => String(n).padStart(2, "0");
        const offset = `${minutes < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
        const local = date.toISOString().slice(0, 19);
        const utc = Date.parse(`${local}Z`) - minutes * 60_000;
        expect(parseRfc3339(local + offset)).toBe(utc);
      }),
    );
  });

  it("gives the same result on its fast path and by its pattern", () => {
    const digits = fc.array(fc.constantFrom(..."0123456789"), { minLength: 17, maxLength: 17 });
    fc.assert(
      fc.property(digits, (d) => {
        const at = (from: number, to: number) => d.slice(from, to).join("");
        const second = `${at(0, 4)}-${at(4, 6)}-${at(6, 8)}T${at(8, 10)}:${at(10, 12)}:${at(12, 14)}.${at(14, 17)}`;
        expect(parseRfc3339(`${second}Z`)).toBe(parseRfc3339(`${second}+00:00`));
      }),
    );
  });

  it.each([
    ["2026-03-01T10:00:00.1239Z", 123],
    ["2026-03-01t10:00:00.5z", 500],
    ["2026-03-01T10:00:00Z", 0],
  ])("reads %s", (text, ms) => {
    expect(parseRfc3339(text)).toBe(Date.UTC(2026, 2, 1, 10, 0, 0, ms));
  });

  it("reads a leap second as the next second", () => {
    expect(parseRfc3339("2016-12-31T23:59:60Z")).toBe(Date.UTC(2017, 0, 1));
  });

  it.each([
    "",
    "2026-03-01",
    "2026-03-01T10:00:00",
    "2026-03-01 10:00:00Z",
    "2026-02-29T10:00:00.000Z",
    "1900-02-29T10:00:00.000Z",
    "2026-13-01T10:00:00.000Z",
    "2026-00-01T10:00:00.000Z",
    "2026-03-01T24:00:00.000Z",
    "2026-03-01T10:60:00.000Z",
    "2026-03-01T10:00:00.00xZ",
    "2026-03-01T10:00:00+24:00",
    "2026-03-01T10:00:00+0100",
    " 2026-03-01T10:00:00.000Z",
    "1772359200000",
  ])("rejects %j", (text) => {
    expect(parseRfc3339(text)).toBeNaN();
  });

  it("returns NaN for any other text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (text) => {
        expect(parseRfc3339(text)).toBeNaN();
      }),
    );
  });
});

describe("the parser of times in forms", () => {
  it.each([
    "2026-03-01 10:00:00",
    "2026-03-01T10:00:00Z",
    "2026-03-01T10:00:00.000Z",
    " 2026-03-01T12:00:00+02:00 ",
    "2026-03-01T12:00:00+0200",
    "2026-03-01T12:00:00 02:00",
    "2026-03-01T05:15:00.000-0445",
    "2026-03-01T23:45:00+13:45",
  ])("reads %j", (text) => {
    expect(parseFormTime(text)).toBe(Date.UTC(2026, 2, 1, 10));
  });

  it.each([
    "",
    "today",
    "2026-03-01",
    "2026-03-01T10:00:00+2",
    "2026-03-01T10:00:00+24:00",
    "01.03.2026 10:00:00",
    "2026-02-30 10:00:00",
  ])("rejects %j", (text) => {
    expect(parseFormTime(text)).toBeNaN();
  });
});
