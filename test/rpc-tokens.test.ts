import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTokenWatch, readTokens } from "../src/rpc-tokens.js";
import { temporaryDirectory } from "./fixtures/server.js";

const A = "a".repeat(64);
const B = "B".repeat(64);

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryDirectory(), "tokens");
  writeFileSync(path, text);
  return path;
}

describe("the file of tokens", () => {
  it("holds a name, a scope and a hash a line, comments and empty lines between", async () => {
    const path = await fileOf(`# checkout\n\ncheckout write ${A}\r\n  ops@shop  admin\t${B}  \n`);
    expect([...readTokens(path)]).toEqual([
      [A, { name: "checkout", scope: "write" }],
      [B.toLowerCase(), { name: "ops@shop", scope: "admin" }],
    ]);
  });

  it.each([
    ["a scope that is none", `checkout all ${A}`],
    ["a token in place of its hash", "checkout write aisle_secret"],
    ["a name twice", `x read ${A}\nx read ${B}`],
    ["a token twice", `x read ${A}\ny admin ${A.toUpperCase()}`],
    ["a word too many", `x read ${A} more`],
  ])("is refused with %s, by the number of the line and without its words", async (_, text) => {
    const path = await fileOf(text);
    const line = text.split("\n").length;
    expect(() => readTokens(path)).toThrow(new RegExp(`^--rpc-tokens \\(AISLE_RPC_TOKENS\\): line ${line}: `));
    expect(() => readTokens(path)).not.toThrow(/secret/);
  });

  it("is read anew, and while it cannot be used those from before stay", async () => {
    const path = await fileOf(`x read ${A}`);
    const warnings: string[] = [];
    const watch = createTokenWatch(path, (line) => warnings.push(line));
    writeFileSync(path, `x read ${A}\ny ad`);
    for (let n = 0; n < 2; n++) watch.look();
    expect([...watch.tokens().keys()]).toEqual([A]);
    expect(warnings).toHaveLength(1);
    writeFileSync(path, `y admin ${B}`);
    watch.look();
    expect([...watch.tokens().values()]).toEqual([{ name: "y", scope: "admin" }]);
  });

  it("must be there when the server starts", () => {
    expect(() => createTokenWatch("/nowhere/tokens", () => undefined)).toThrow(/the file cannot be read/);
  });
});
