// npm run package: the npm package aisle-server, build/aisle-server-VERSION.tgz. It needs Node alone: JavaScript dependencies are in
// dist/, native ones come prebuilt with npm, and hnswlib-node is optional.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NATIVE } from "./dist.mjs";
import { bin, Failure, root, run, say, script } from "./lib.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const COPIED = ["bin", "dist", "deploy/health-check.mjs", "docs/samples", "web/demo", "LICENSE", "README.md"];
const folder = join(root, "build/package");

await script(async () => {
  await setUp(...EVERYTHING);
  rmSync(folder, { recursive: true, force: true });
  for (const path of COPIED) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  await writeHelperTypes();
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`);
  const { code, output } = await run("npm", ["pack", "--pack-destination", join(root, "build")], {
    quiet: true,
    cwd: folder,
  });
  if (code !== 0) throw new Failure(`npm pack ended with ${code}\n${output}`);
  say(`build/${manifest.name}-${manifest.version}.tgz`);
});

/** Types of the helper for shops' pages, beside its script. */
async function writeHelperTypes() {
  const types = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir"];
  const args = ["-p", join(root, "web/helper"), ...types, join(folder, "dist/web/helper")];
  const { code, output } = await run(bin("tsc"), args, { quiet: true });
  if (code !== 0) throw new Failure(`the types of the helper were not made\n${output.trimEnd()}`);
}

function packageJson() {
  const { name, version, description, license, type, engines, bin, dependencies, optionalDependencies } = manifest;
  const native = Object.fromEntries(NATIVE.map((one) => [one, dependencies[one]]));
  return { name, version, description, license, type, engines, bin, dependencies: native, optionalDependencies };
}
