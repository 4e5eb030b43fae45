import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const scripts = join(import.meta.dirname, "../../scripts");

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "aisle-setup-"));
  cpSync(scripts, join(checkout, "scripts"), { recursive: true });
  writeFileSync(join(checkout, "package.json"), '{ "engines": { "node": ">=20.19" } }');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

/** Evaluates statements in a small checkout that has our scripts, and gives what they print. */
function evaluate(imports: string, statements: string): string {
  const file = (name: string) => JSON.stringify(pathToFileURL(join(checkout, "scripts", name)).href);
  const program = `
    import { ${imports} } from ${file(imports.includes("adviceOn") ? "setup.mjs" : "lib.mjs")};
    ${statements}`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

describe("npm run setup", () => {
  it("names the required Node version on an older one", () => {
    const old = (version: string) => `
      Object.defineProperty(process, "versions", { value: { node: "${version}" } });
      try { checkNode(); console.log("fine"); } catch (error) { console.log(error.message); }`;
    expect(evaluate("checkNode", old("20.18.3"))).toBe("Node 20.19 or newer is needed, this is 20.18.3");
    expect(evaluate("checkNode", old("18.20.0"))).toBe("Node 20.19 or newer is needed, this is 18.20.0");
    expect(evaluate("checkNode", old("20.19.0"))).toBe("fine");
    expect(evaluate("checkNode", old("24.0.0"))).toBe("fine");
  });

  it("says what to install when a native package could not be compiled", () => {
    const advice = (output: string) => evaluate("adviceOn", `console.log(adviceOn(${JSON.stringify(output)}));`);
    expect(advice("gyp ERR! stack Error: not found: make")).toContain("apt-get install python3 make g++");
    expect(advice("npm error code EUSAGE")).toContain("package-lock.json is behind package.json");
    expect(advice("npm error code ENOTFOUND")).toBe("the npm registry was not reached");
  });

  it("detects a changed name or content of any file below a folder", () => {
    const hash = () => evaluate("hashOf", 'console.log(hashOf("src", "absent"));');
    mkdirSync(join(checkout, "src/a"), { recursive: true });
    const hashes = [hash()];
    writeFileSync(join(checkout, "src/a/x.ts"), "1");
    hashes.push(hash());
    writeFileSync(join(checkout, "src/a/x.ts"), "2");
    hashes.push(hash());
    cpSync(join(checkout, "src/a/x.ts"), join(checkout, "src/a/y.ts"));
    hashes.push(hash());
    rmSync(join(checkout, "src/a/x.ts"));
    hashes.push(hash());
    expect(new Set(hashes).size).toBe(5);
    expect(hash()).toBe(hashes[4]);
  });

  describe("without what earlier runs remember", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: checkout });
    const generate = () => evaluate("adviceOn, setUp", `await setUp("generate"); console.log("current");`);
    beforeEach(() => {
      for (const folder of ["proto", "src/gen"]) mkdirSync(join(checkout, folder), { recursive: true });
      writeFileSync(join(checkout, "proto/a.proto"), "message A {}");
      writeFileSync(join(checkout, "src/gen/a.ts"), "export {};");
      // Tools count as installed.
      const lock = evaluate("hashOf", 'console.log(hashOf("package-lock.json"));');
      mkdirSync(join(checkout, "node_modules"));
      const stamp = `${lock} ${process.platform} ${process.arch} dependencies and tools`;
      writeFileSync(join(checkout, "node_modules/.aisle-lock"), stamp);
      git("init", "-q");
      git("add", "-A");
      git("commit", "-qm", "all");
    });

    it("takes generated code as it is committed", () => {
      expect(generate()).toBe("current");
    });

    it("generates code when a proto file was changed since", () => {
      writeFileSync(join(checkout, "proto/a.proto"), "message B {}");
      expect(generate).toThrow("code generation failed");
    });

    it("generates code when generated code is missing", () => {
      rmSync(join(checkout, "src/gen/a.ts"));
      expect(generate).toThrow("code generation failed");
    });

    it("takes what a later commit brings, and generates code for changes after it", () => {
      generate();
      writeFileSync(join(checkout, "proto/a.proto"), "message B {}");
      git("commit", "-qam", "b");
      expect(generate()).toBe("current");
      writeFileSync(join(checkout, "proto/a.proto"), "message C {}");
      expect(generate).toThrow("code generation failed");
    });

    it("takes generated code as it is where there is no git", () => {
      rmSync(join(checkout, ".git"), { recursive: true });
      expect(generate()).toBe("current");
    });
  });

  it("skips npm when node_modules already matches the lock and works", () => {
    const lock = { packages: { "": {}, "node_modules/lmdb": { version: "1.0.0" } } };
    writeFileSync(join(checkout, "package-lock.json"), JSON.stringify(lock));
    const fake = (name: string, text = "") => {
      mkdirSync(join(checkout, "node_modules", name), { recursive: true });
      writeFileSync(join(checkout, "node_modules", name, "package.json"), '{ "main": "index.js" }');
      writeFileSync(join(checkout, "node_modules", name, "index.js"), text);
    };
    for (const name of ["lmdb", "@node-rs/crc32"]) fake(name);
    const setUp = () =>
      evaluate(
        "adviceOn, setUp",
        `process.env.npm_execpath = ""; process.env.PATH = "";
         await setUp("install").then(() => console.log("current"), (error) => console.log(error.message));`,
      );
    writeFileSync(join(checkout, "node_modules/.package-lock.json"), '{ "packages": {} }');
    expect(setUp()).toBe("npm is not there: it must be on PATH");
    writeFileSync(join(checkout, "node_modules/.package-lock.json"), JSON.stringify(lock));
    expect(setUp()).toBe("current");
    rmSync(join(checkout, "node_modules/.aisle-lock"));
    fake("lmdb", 'process.kill(process.pid, "SIGILL");'); // built for another processor
    expect(setUp()).toBe("npm is not there: it must be on PATH");
  });
});
