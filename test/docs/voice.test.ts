import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../fixtures/server.js";

const SCRIPT = join(import.meta.dirname, "../../scripts/voice.mjs");
const check = (...files: string[]) => spawnSync(process.execPath, [SCRIPT, ...files], { encoding: "utf8" });

async function findingsOf(text: string): Promise<string> {
  const file = join(await temporaryDirectory(), "page.md");
  writeFileSync(file, `# Title\n\n${text}\n`);
  return check(file).stdout;
}

describe("scripts/voice.mjs", () => {
  it("finds nothing in README and docs", () => {
    const { status, stdout, stderr } = check();
    expect([status, stderr], stdout).toEqual([0, ""]);
  });

  it("finds a sentence of 26 words, and none of 25", async () => {
    const words = (count: number) => `${Array.from({ length: count }, (_, n) => `word${n}`).join(" ")}.`;
    expect(await findingsOf(words(26))).toContain("page.md:3: 26 words");
    expect(await findingsOf(words(25))).toBe("");
  });

  it("finds a phrase in a table, and a clause as the subject", async () => {
    expect(await findingsOf("| it is kept as well as can be |")).toContain('write "best effort"');
    expect(await findingsOf("What is late waits for the next round.")).toContain("a clause as the subject");
  });

  it("leaves out code", async () => {
    expect(await findingsOf("```sh\necho as well as can be\n```")).toBe("");
  });
});
