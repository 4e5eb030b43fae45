import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const reporter: { commandOf(file: string, name?: string): string } = await import(
  pathToFileURL(join(import.meta.dirname, "../scripts/count-reporter.mjs")).href
);
const { commandOf } = reporter;

/** The words that a shell makes of what follows `npm test`. */
function words(command: string): string[] {
  const after = command.slice(command.indexOf("npm test") + "npm test".length);
  const code = `printf '%s\\n' ${after}`;
  return execFileSync("sh", ["-c", code], { encoding: "utf8" }).trimEnd().split("\n");
}

describe("the command that repeats a failed test", () => {
  it("sets the seed of the run", () => {
    expect(commandOf("test/a.test.ts", "works")).toContain(
      `AISLE_SEED=${process.env.AISLE_SEED} npm test -- test/a.test.ts`,
    );
  });

  it.each(["it's here", 'costs $5 "now"', "a `b` (c) [d] e?"])(
    "matches the name %s, and only that, behind a shell",
    (name) => {
      const [, file, option, pattern = ""] = words(commandOf("test/a.test.ts", name));
      expect([file, option]).toEqual(["test/a.test.ts", "-t"]);
      expect(new RegExp(`^${pattern}$`).test(name)).toBe(true);
      expect(new RegExp(`^${pattern}$`).test(`${name}!`)).toBe(false);
    },
  );

  it("names the file alone when the file does not load", () => {
    expect(words(commandOf("test/a.test.ts"))).toEqual(["--", "test/a.test.ts"]);
  });
});
