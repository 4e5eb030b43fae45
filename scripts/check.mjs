// npm run check [-- --no-tests]: all that CI does, each step with its time. Stops at the first one that fails.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, Failure, filesBelow, root, run, script } from "./lib.mjs";
import { checkLicences } from "./licences.mjs";
import { breaking, released } from "./released.mjs";
import { setUp } from "./setup.mjs";
import { checkVoice } from "./voice.mjs";

/** Runs a tool and throws what it printed when it fails. */
const tool = async (command, ...args) => {
  const { code, output } = await run(command, args, { quiet: true });
  if (code !== 0) throw new Failure(output.trimEnd() || `exit code ${code}`);
};

/** What scripts/generate.mjs writes: a folder and two pages. */
const written = "src/gen";
const pages = ["docs/api.md", "docs/api-types.md"];

async function compareGenerated() {
  const folder = mkdtempSync(join(tmpdir(), "aisle-check-"));
  try {
    await tool(process.execPath, join(root, "scripts/generate.mjs"), "--out", folder);
    const same = (file) => {
      const [here, fresh] = [join(root, file), join(folder, file)];
      return existsSync(here) && existsSync(fresh) && readFileSync(here).equals(readFileSync(fresh));
    };
    const filesOf = (base) => [...filesBelow(join(base, written)).map((file) => `${written}/${file}`), ...pages];
    const different = [...new Set([...filesOf(root), ...filesOf(folder)])].filter((file) => !same(file));
    if (different.length > 0) {
      throw new Failure(
        `differs from what proto/, scripts/protocols and src/learning/kernels/assembly give (npm run generate):\n  ${different.join("\n  ")}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareReleased() {
  if (existsSync(join(root, released))) return tool(...breaking);
  const { output } = await run("git", ["log", "-1", "--format=%h", "--", released], { quiet: true });
  if (/^[0-9a-f]+\s*$/.test(output) && output.trim() !== "")
    throw new Failure(`${released} was committed once and is missing`);
  return "there is no released contract yet: nothing to compare with (npm run release-contract makes it)";
}

// Generated code is compared before anything could bring it up to date.
const steps = [
  ["dependencies", () => setUp("tools")],
  ["generated code is current", compareGenerated],
  ["buf lint", () => tool(bin("buf"), "lint")],
  ["buf format", () => tool(bin("buf"), "format", "--diff", "--exit-code")],
  ["buf breaking", compareReleased],
  ["types (tsc)", () => tool(bin("tsc"), "--noEmit", "-p", ".")],
  ["types of what runs in browsers (tsc)", () => tool(bin("tsc"), "-p", "web")],
  ["licences of what the server runs with", checkLicences],
  ["no file or export that nobody uses (knip)", () => tool(bin("knip"))],
  ["no code that only tests use (knip)", () => tool(bin("knip"), "--production")],
  ["sentences of README and docs", checkVoice],
  ["lint and format (biome)", () => tool(bin("biome"), "ci", "--error-on-warnings", ".")],
];

await script(async () => {
  for (const [name, step] of steps) {
    const start = performance.now();
    const time = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
      const remark = await step();
      console.log(`ok    ${name} (${time()})${remark ? `: ${remark}` : ""}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.log(`FAIL  ${name} (${time()})\n${error.message}`);
      return 1;
    }
  }
  if (process.argv.includes("--no-tests")) return 0;
  return (await run(process.execPath, [join(root, "scripts/test.mjs")])).code;
});
