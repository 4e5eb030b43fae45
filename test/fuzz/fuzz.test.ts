import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Runs `npm run fuzz` with arguments; answers what it printed and its exit code. */
function fuzz(...args: readonly string[]): Promise<{ readonly output: string; readonly code: number }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, "scripts/fuzz.mjs"), ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: error === null ? 0 : Number(error.code) }),
    );
  });
}

const targets = readdirSync(join(import.meta.dirname, "targets")).map((name) => name.replace(/\.ts$/, ""));
const planted = (name: string) => join(import.meta.dirname, `planted/${name}.ts`);

describe("fuzzing", () => {
  it.each(targets)(
    "finds no fault in the %s parser in a few seconds",
    async (target) => {
      const { output, code } = await fuzz("--seconds", "3", target);
      expect(output).toMatch(/^\w+: [1-9]\d* runs .* no finding$/m);
      expect(code).toBe(0);
    },
    60_000,
  );

  it("is guided by coverage: it finds a planted fault behind four bytes", async () => {
    const { output, code } = await fuzz("--seconds", "40", "--seed", "7", planted("magic"));
    expect(output).toContain("Error: the planted fault");
    expect(Buffer.from(/in Base64: (\S+)/.exec(output)?.[1] ?? "", "base64").toString()).toBe("Fuz!");
    expect(code).toBe(1);
    const path = /^input: ([^,]+),/m.exec(output)?.[1] ?? "";
    expect(readFileSync(join(root, path), "latin1")).toBe("Fuz!");
    const again = await fuzz("--input", path, planted("magic"));
    expect([again.code, again.output]).toEqual([1, expect.stringContaining("Error: the planted fault")]);
  });

  it.each([
    ["an input that takes long for its size", "slow", /It took \d+ ms/],
    ["an input whose reading never settles", "unsettled", /never settled/],
  ])(
    "reports %s",
    async (_, name, reason) => {
      const { output, code } = await fuzz("--seconds", "20", "--seed", "7", planted(name));
      expect(output).toMatch(reason);
      expect(code).toBe(1);
    },
    60_000,
  );

  it("lists the targets when an unknown one is asked for", async () => {
    const { output, code } = await fuzz("nothing");
    expect(output).toContain(`there are ${[...targets].sort().join(", ")}`);
    expect(code).toBe(1);
  });
});
