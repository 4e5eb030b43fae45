import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadLine } from "../../../src/catalog/feed/rows.js";
import { readAmount, readQuantity, readTime, textOf } from "../../../src/catalog/feed/scalars.js";

const NOW = Date.UTC(2026, 0, 1);

describe("readTime", () => {
  it.each([
    ["2010-12-01T08:26:00Z", "2010-12-01T08:26:00.000Z"],
    ["2010-12-01T08:26:00.1234567Z", "2010-12-01T08:26:00.123Z"],
    ["2010-12-01 08:26:00", "2010-12-01T08:26:00.000Z"],
    ["2010-12-01 08:26", "2010-12-01T08:26:00.000Z"],
    ["2010-12-01", "2010-12-01T00:00:00.000Z"],
    ["2010-12-01T08:26:00+02:00", "2010-12-01T06:26:00.000Z"],
    ["2010-12-01T08:26:00-0530", "2010-12-01T13:56:00.000Z"],
    ["2010-12-01 08:26:00+00", "2010-12-01T08:26:00.000Z"],
    ["2010-12-01 08:26:00 UTC", "2010-12-01T08:26:00.000Z"],
    ["2012-02-29", "2012-02-29T00:00:00.000Z"],
    ["1396437466", "2014-04-02T11:17:46.000Z"],
    ["1396437466.940", "2014-04-02T11:17:46.940Z"],
    ["1396437466940", "2014-04-02T11:17:46.940Z"],
    ["1396437466940123", "2014-04-02T11:17:46.940Z"],
  ])("reads %s as %s", (text, iso) => {
    expect(new Date(readTime(text, "timestamp", NOW)).toISOString()).toBe(iso);
  });

  it.each([
    "2010-02-30",
    "2010-13-01",
    "2010-12-01T24:00:00Z",
    "01/12/2010",
    "2010-12-01T08:26:00 Europe/Berlin",
    "yesterday",
    "-5",
    "1e9",
    "99999999999999999999",
  ])("rejects %s", (text) => {
    expect(() => readTime(text, "timestamp", NOW)).toThrow("timestamp: an ISO 8601 time or a Unix time");
  });

  it("rejects times that a server would replace by the time of receipt", () => {
    expect(() => readTime("1999-12-31T23:59:59Z", "timestamp", NOW)).toThrow("from the year 2000 on");
    expect(() => readTime("20101201", "timestamp", NOW)).toThrow("from the year 2000 on");
    expect(() => readTime("2026-01-01T00:05:01Z", "timestamp", NOW)).toThrow("in the future");
    expect(readTime("2026-01-01T00:05:00Z", "timestamp", NOW)).toBe(NOW + 300_000);
  });

  it("reads every millisecond since 2000 alike as ISO, seconds and milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0, 1), max: NOW }), (ms) => {
        expect(readTime(new Date(ms).toISOString(), "t", NOW)).toBe(ms);
        expect(readTime((ms / 1000).toFixed(3), "t", NOW)).toBe(ms);
        expect(readTime(String(ms), "t", NOW)).toBe(ms);
      }),
    );
  });
});

describe("readAmount", () => {
  it.each([
    ["", "", ""],
    ["1,299,000.5", "1299000.5", ""],
    ["1 299,00 €", "1299.00", "EUR"],
    ["£2.55", "2.55", "GBP"],
    ["0.30000000000000004", "0.300000000", ""],
  ])("reads %j as %j %j", (text, amount, currency) => {
    expect(readAmount(text, "price")).toEqual({ amount, currency });
  });

  it.each(["free", "1.2.3", "12 EUR or more", "1-2", ".", "1,299.00.00", "9".repeat(19)])("rejects %j", (text) => {
    expect(() => readAmount(text, "price")).toThrow("price: a decimal number is accepted");
  });

  it("rejects an amount below 0 as that", () => {
    expect(() => readAmount("-1", "price")).toThrow("price: an amount below 0 is not accepted");
  });

  it("keeps every amount of a machine-made file unchanged", () => {
    const cents = fc.nat(99).map((value) => String(value).padStart(2, "0"));
    fc.assert(
      fc.property(fc.nat(), cents, (whole, fraction) => {
        expect(readAmount(`${whole}.${fraction}`, "price").amount).toBe(`${whole}.${fraction}`);
      }),
    );
  });
});

describe("readQuantity", () => {
  it.each([
    ["", 1],
    ["6", 6],
    ["6.0", 6],
    ["0,35", 1],
    ["1.5", 2],
  ])("reads %j as %i", (text, quantity) => {
    expect(readQuantity(text, "quantity")).toBe(quantity);
  });

  it.each(["0", "-1", "x", "0.0", "1e3"])("rejects %j", (text) => {
    expect(() => readQuantity(text, "quantity")).toThrow("quantity: a number above 0 is accepted");
  });
});

describe("textOf", () => {
  it.each([
    [" a ", "a"],
    [undefined, ""],
    [null, ""],
    [true, "true"],
    [12.5, "12.5"],
    [1e21, "1000000000000000000000"],
    [1e-7, "0.0000001"],
  ])("reads %j as %j", (value, text) => {
    expect(textOf(value, "f")).toBe(text);
  });

  it("rejects lists and objects", () => {
    expect(() => textOf(["a"], "title")).toThrow(BadLine);
    expect(() => textOf({}, "title")).toThrow("title: text is accepted");
  });
});
