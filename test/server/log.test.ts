import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog } from "../../src/server/log.js";

/** A log, and the lines it wrote. */
function openLog() {
  const lines: string[] = [];
  return { log: createLog("info", (line) => void lines.push(line)), lines };
}

/** The record that a call to the log writes. */
function recordOf(say: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  const { log, lines } = openLog();
  say(log);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "");
}

describe("the log", () => {
  it("writes each record as one line of plain JSON, whatever it contains", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\n", "\r", "\u001b", "\0", "\u0085", "\u009b", "\u2028", "\u2029", '"', "\\"),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(text, text, (message, value) => {
        const { log, lines } = openLog();
        log.info({ value, error: new Error(value) }, message);
        log.warn(message);
        expect(lines).toHaveLength(2);
        for (const line of lines) {
          expect(line.endsWith("}\n")).toBe(true);
          expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect(JSON.parse(line)).toMatchObject({ msg: message });
        }
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({ value });
      }),
    );
  });

  it("takes no message for a format", () => {
    const { log, lines } = openLog();
    log.info("100 %% of %s");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: "100 %% of %s" });
  });

  it("cuts long texts, in fields, messages and errors", () => {
    const long = "x".repeat(100_000);
    for (const say of [
      (log: ReturnType<typeof createLog>) => log.info({ value: long }, "m"),
      (log: ReturnType<typeof createLog>) => log.info(long),
      (log: ReturnType<typeof createLog>) => log.info({}, long),
      (log: ReturnType<typeof createLog>) => log.error({ error: new Error(long) }, "m"),
      (log: ReturnType<typeof createLog>) => log.error({ err: new Error("m", { cause: new Error(long) }) }, "m"),
    ])
      expect(JSON.stringify(recordOf(say)).length).toBeLessThan(5000);
  });

  it("shows an error's class, message, stack and causes", () => {
    const cause = new TypeError("x.y is no function");
    const { error } = recordOf((log) => log.error({ error: new RangeError("too far", { cause }) }, "m"));
    expect(error).toMatch(/^RangeError: too far\n +at .*log\.test\.ts/);
    expect(error).toContain("caused by TypeError: x.y is no function");
  });

  it.each([
    ["a parser", () => JSON.parse('ann@example.com "quoted" text')],
    ["a parser of more", () => JSON.parse(`{"a": 1, "b": ann@example.com, ${" ".repeat(40)}`)],
    [
      "a driver",
      () => {
        throw new Error('E11000 duplicate key error dup key: { _id: "shop\\0ann@example.com \\" x" }');
      },
    ],
    [
      "a driver, cut short",
      () => {
        throw new Error('got "ann@example.com');
      },
    ],
  ])("leaves out what %s quotes of a caller", (_, fail) => {
    const { log, lines } = openLog();
    try {
      fail();
    } catch (error) {
      log.error({ error }, "m");
      log.error({ error: new Error("outer", { cause: error }) }, "m");
    }
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain("example.com");
  });

  it("leaves out an error's other properties", () => {
    const error = Object.assign(new Error("m"), { email: "ann@example.com", cause: { email: "ann@example.com" } });
    const record = recordOf((log) => log.error({ err: error }, "m"));
    expect(JSON.stringify(record)).not.toContain("ann@");
  });
});
