import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAmount } from "../../src/parse/amount.js";
import { RUNS } from "../fixtures/runs.js";

describe("the amount parser", () => {
  it.each([
    ["149.99", "149.99", ""],
    ["49,90", "49.90", ""],
    ["1 299,00", "1299.00", ""],
    ["1\u00a0299,00", "1299.00", ""],
    ["1\u202f299,00 €", "1299.00", "EUR"],
    ["1.299,00", "1299.00", ""],
    ["1,299.00", "1299.00", ""],
    ["1'299.50", "1299.50", ""],
    ["1,299", "1299", ""],
    ["1.299", "1.299", ""],
    ["1.299.000", "1299000", ""],
    ["EUR 5", "5", "EUR"],
    ["5 pln", "5", "PLN"],
    ["12,50 zł", "12.50", "PLN"],
    ["$5", "5", ""],
    ["-5.00", "-5.00", ""],
    ["-€5", "-5", "EUR"],
    ["€ -5", "-5", "EUR"],
    [" 0 ", "0", ""],
  ])("reads %j as %s %s", (text, amount, currency) => {
    expect(readAmount(text)).toEqual({ amount, currency });
  });

  it.each(["", "free", "1e3", "--5", "-€-5", "5-", "1,2,3", "1.2,3.4", "0x10", "NaN", "5 €€", "٣", "1".repeat(65)])(
    "reads %j as no amount",
    (text) => {
      expect(readAmount(text)).toBeUndefined();
    },
  );

  it("writes decimal text with a dot, or an empty text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.,' -€EUR"), maxLength: 30 }), (text) => {
        const read = readAmount(text);
        if (read !== undefined) expect(read.amount).toMatch(/^-?\d{1,18}(\.\d{1,9})?$/);
      }),
      { numRuns: RUNS.many },
    );
  });

  it("leaves decimal text unchanged", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?\d{1,18}(\.\d{1,9})?$/), (text) => {
        expect(readAmount(text)?.amount).toBe(text);
      }),
    );
  });
});
