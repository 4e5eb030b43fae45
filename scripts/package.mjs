// npm run package: the npm package aisle-server, build/aisle-server-VERSION.tgz. It needs Node alone: JavaScript dependencies are bundled
// into vendor/, and native ones come prebuilt with npm. Fewer files install faster.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { bin, Failure, filesBelow, root, run, say, script } from "./lib.mjs";
import { bundledLicences } from "./licence-texts.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Installed by npm, since they have native parts. */
const NATIVE = ["@node-rs/crc32", "lmdb", "msgpackr"];
const COPIED = ["bin", "dist", "deploy/health-check.mjs", "docs/samples", "web/demo", "LICENSE", "README.md"];
const folder = join(root, "build/package");

/** `from "name"`, `import "name"` and `import("name")` of compiled modules. */
const IMPORT = /(\bfrom |\bimport |\bimport\()"((?:@[\w.-]+\/)?\w[\w.-]*(?:\/[\w./-]+)?)"/g;
const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];
const isBundled = (specifier) =>
  manifest.dependencies[packageOf(specifier)] !== undefined && !NATIVE.includes(packageOf(specifier));
const fileOf = (specifier) => `${specifier.replaceAll("/", "__")}.js`;

await script(async () => {
  await setUp(...EVERYTHING);
  rmSync(folder, { recursive: true, force: true });
  for (const path of COPIED) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  await writeHelperTypes();
  const modules = filesBelow(join(folder, "dist")).filter((path) => path.endsWith(".js") && !path.startsWith("web/"));
  const specifiers = new Set(
    modules.flatMap((path) => bundledImports(readFileSync(join(folder, "dist", path), "utf8"))),
  );
  await bundle([...specifiers].sort());
  for (const path of modules) pointToVendor(path);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`);
  const { code, output } = await run("npm", ["pack", "--pack-destination", join(root, "build")], {
    quiet: true,
    cwd: folder,
  });
  if (code !== 0) throw new Failure(`npm pack ended with ${code}\n${output}`);
  say(`build/${manifest.name}-${manifest.version}.tgz`);
});

function bundledImports(text) {
  return [...text.matchAll(IMPORT)].map(([, , specifier]) => specifier).filter(isBundled);
}

/** One file for each imported module, and chunks of what they share, so that each package exists once. */
async function bundle(specifiers) {
  const entries = join(folder, "entries");
  mkdirSync(entries, { recursive: true });
  for (const specifier of specifiers) writeFileSync(join(entries, fileOf(specifier)), await entryOf(specifier));
  const { metafile } = await build({
    entryPoints: specifiers.map((specifier) => join(entries, fileOf(specifier))),
    outdir: join(folder, "vendor"),
    absWorkingDir: root,
    nodePaths: [join(root, "node_modules")],
    external: NATIVE,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["main", "module"],
    metafile: true,
    logLevel: "error",
    // CommonJS packages call require for modules of Node.
    banner: {
      js: 'import { createRequire as aisleRequire } from "node:module"; const require = aisleRequire(import.meta.url);',
    },
  });
  rmSync(entries, { recursive: true });
  writeFileSync(join(folder, "vendor/LICENSES.md"), bundledLicences(Object.keys(metafile.inputs)));
}

/** A module with the same exports, of ES and CommonJS modules alike. */
async function entryOf(specifier) {
  const names = Object.keys(await import(specifier));
  const named = names.filter((name) => name !== "default" && /^[\w$]+$/.test(name) && name !== "module.exports");
  const lines = [`import * as all from ${JSON.stringify(specifier)};`, `export const { ${named.join(", ")} } = all;`];
  if (names.includes("default")) lines.push(`export { default } from ${JSON.stringify(specifier)};`);
  return lines.join("\n");
}

/** Types of the helper for shops' pages, beside its script. */
async function writeHelperTypes() {
  const types = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir"];
  const args = ["-p", join(root, "web/helper"), ...types, join(folder, "dist/web/helper")];
  const { code, output } = await run(bin("tsc"), args, { quiet: true });
  if (code !== 0) throw new Failure(`the types of the helper were not made\n${output.trimEnd()}`);
}

/** Lets a module of dist/ import the bundled packages. */
function pointToVendor(path) {
  const file = join(folder, "dist", path);
  const text = readFileSync(file, "utf8");
  const up = posix.relative(posix.dirname(posix.join("dist", path)), "vendor");
  const moved = text.replace(IMPORT, (all, before, specifier) =>
    isBundled(specifier) ? `${before}"${posix.join(up, fileOf(specifier))}"` : all,
  );
  if (moved !== text) writeFileSync(file, moved);
}

function packageJson() {
  const { name, version, description, license, type, engines, bin, dependencies } = manifest;
  const native = Object.fromEntries(NATIVE.map((one) => [one, dependencies[one]]));
  return { name, version, description, license, type, engines, bin, dependencies: native };
}
