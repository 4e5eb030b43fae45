import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

describe("npm run sbom", () => {
  it.each(["test", "production"])(
    "lists in CycloneDX each installed runtime package once, and no other: NODE_ENV=%s",
    async (NODE_ENV) => {
      const env = { ...process.env, NODE_ENV, npm_config_loglevel: "silent" };
      const { stdout } = await run("npm", ["run", "--silent", "sbom"], { cwd: root, env, maxBuffer: 2 ** 26 });
      const document = JSON.parse(stdout);
      expect([document.bomFormat, document.metadata.component.name]).toEqual(["CycloneDX", "aisle-server"]);
      const listed = document.components.map(({ name, version }: Component) => `${name}@${version}`).sort();

      const locked: Readonly<Record<string, { readonly dev?: boolean }>> = read("package-lock.json").packages;
      const installed = Object.entries(locked)
        .filter(([path, { dev }]) => path !== "" && !dev && existsSync(join(root, path)))
        .map(([path]) => read(join(path, "package.json")))
        .map(({ name, version }) => `${name}@${version}`);
      expect(listed).toEqual([...new Set(installed)].sort());
      expect(listed).toContain(`fastify@${read("node_modules/fastify/package.json").version}`);
      for (const { purl } of document.components) expect(purl).toMatch(/^pkg:npm\/\S+@\S+$/);
      const refs = new Set([...document.components, document.metadata.component].map((one) => one["bom-ref"]));
      for (const { ref, dependsOn } of document.dependencies)
        for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
    },
    120_000,
  );
});

describe("the licence check", () => {
  /** What it says of a package with these licences, as CycloneDX states them. */
  async function refused(licenses: unknown): Promise<string[]> {
    const document = JSON.stringify({ components: [{ name: "x", version: "1.0.0", licenses }] });
    const module = JSON.stringify(pathToFileURL(join(root, "scripts/licences.mjs")).href);
    const program = `import { refusedLicences } from ${module};
      console.log(JSON.stringify(refusedLicences(${document})));`;
    return JSON.parse((await run(process.execPath, ["--input-type=module", "--eval", program])).stdout);
  }

  it.each([
    [[{ license: { id: "MIT" } }], []],
    [[{ expression: "(GPL-2.0-only OR MIT)" }], []],
    [[{ expression: "(Apache-2.0 AND BSD-3-Clause)" }], []],
    [[{ license: { id: "GPL-3.0-only" } }], ["x@1.0.0: GPL-3.0-only"]],
    [[{ license: { id: "MIT" } }, { license: { id: "SSPL-1.0" } }], ["x@1.0.0: MIT, SSPL-1.0"]],
    [[{ expression: "(MIT AND GPL-2.0-only)" }], ["x@1.0.0: (MIT AND GPL-2.0-only)"]],
    [[{ license: { name: "SEE LICENSE IN FILE" } }], ["x@1.0.0: SEE LICENSE IN FILE"]],
    [undefined, ["x@1.0.0: none stated"]],
  ])("answers for %j: %j", async (licenses, answer) => {
    expect(await refused(licenses)).toEqual(answer);
  });
});
