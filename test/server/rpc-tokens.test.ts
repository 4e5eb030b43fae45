import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTokenWatch, readTokens } from "../../src/server/rpc-tokens.js";
import { temporaryDirectory } from "../fixtures/server.js";

const A = "a".repeat(64);
const B = "B".repeat(64);

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryDirectory(), "tokens");
  writeFileSync(path, text);
  return path;
}

describe("the token file", () => {
  it("has a name, scopes, limits and a hash on each line, with comments and empty lines between", async () => {
    const limits = "apps=shop,other expires=2027-01-31T00:00:00Z";
    const path = await fileOf(`# checkout\n\ncheckout write,read ${limits} ${A}\r\n  ops@shop  admin\t${B}  \n`);
    const expiresAt = Date.UTC(2027, 0, 31);
    expect([...readTokens(path)]).toEqual([
      [A, { name: "checkout", scopes: new Set(["write", "read"]), apps: new Set(["shop", "other"]), expiresAt }],
      [B.toLowerCase(), { name: "ops@shop", scopes: new Set(["admin"]), apps: undefined, expiresAt: undefined }],
    ]);
  });

  it.each([
    ["a scope that is none", `checkout all ${A}`],
    ["no scope", `checkout , ${A}`],
    ["a token in place of its hash", "checkout write aisle_secret"],
    ["a name twice", `x read ${A}\nx read ${B}`],
    ["a token twice", `x read ${A}\ny admin ${A.toUpperCase()}`],
    ["a word too many", `x read ${A} more`],
    ["an unknown limit", `x read networks=10.0.0.0/8 ${A}`],
    ["no app", `x read apps= ${A}`],
    ["an app that cannot be", `x read apps=shop,%20 ${A}`],
    ["apps twice", `x read apps=shop apps=other ${A}`],
    ["a time in no zone", `x read expires=2027-01-31T00:00:00 ${A}`],
    ["a time that is none", `x read expires=2027-13-31T00:00:00Z ${A}`],
    ["a line cut short", `x read apps=shop expires=2027-01-31T00:00:00Z ${A.slice(1)}`],
  ])("is rejected with %s, by line number and without its content", async (_, text) => {
    const path = await fileOf(text);
    const line = text.split("\n").length;
    expect(() => readTokens(path)).toThrow(new RegExp(`^--rpc-tokens \\(AISLE_RPC_TOKENS\\): line ${line}: `));
    expect(() => readTokens(path)).not.toThrow(/secret/);
  });

  it("must exist when the server starts", () => {
    expect(() => createTokenWatch("/nowhere/tokens", () => undefined)).toThrow(/the file cannot be read/);
  });
});

describe("the token file of a running server", () => {
  async function watchOf(text: string) {
    const path = await fileOf(text);
    const warnings: string[] = [];
    const watch = createTokenWatch(path, (line) => warnings.push(line));
    const look = () => {
      for (let n = 0; n < 2; n++) watch.look();
      return [...watch.tokens().values()].map(({ name }) => name);
    };
    return { path, warnings, look };
  }

  it.each([
    ["emptied", (path: string) => writeFileSync(path, ""), "empty"],
    ["deleted", (path: string) => rmSync(path), "cannot be read"],
  ])("voids every token when it was %s, with one warning", async (_, change, words) => {
    const { path, warnings, look } = await watchOf(`x read ${A}`);
    change(path);
    expect(look()).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(words)]);
    expect(warnings[0]).toContain("all RPC callers are rejected");
    writeFileSync(path, `y admin ${B}`);
    expect(look()).toEqual(["y"]);
    expect(warnings).toHaveLength(1);
  });

  it("revokes a token whose line is gone although another line is invalid, and keeps the valid ones", async () => {
    const { path, warnings, look } = await watchOf(`revoked read ${A}\nkept read ${B}`);
    writeFileSync(path, `mistyped raed ${A}\nkept read ${B}`);
    expect(look()).toEqual(["kept"]);
    expect(warnings).toEqual([expect.stringContaining("line 1: ")]);
  });
});
