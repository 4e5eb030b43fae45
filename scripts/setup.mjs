// Brings a checkout into the state in which the server and the tests run: packages, generated code, dist/.
// Each step is skipped when nothing it depends on has changed since it last succeeded, which costs some 20 ms to know.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { bin, checkNode, Failure, filesBelow, hashOf, readIfThere, root, run, say, stamps } from "./lib.mjs";
import { withLock } from "./lock.mjs";

const installStamp = join(root, "node_modules/.aisle-lock");
const generateStamp = join(stamps, "generated");
const dist = join(root, "dist");
const buildStamp = join(dist, ".stamp");

/** Packages follow the lock file, native ones the platform too. They use Node-API, so the version of Node does not matter. */
const installHash = () => `${hashOf("package-lock.json")} ${process.platform} ${process.arch}`;

// src/gen is among its own inputs: a changed or missing file there is made again.
const generateInputs = [
  "proto",
  "src/learning/kernels/assembly",
  "buf.gen.yaml",
  "scripts/generate.mjs",
  "scripts/lib.mjs",
  "package-lock.json",
  "src/gen",
];
const generateHash = () => hashOf(...generateInputs);

const buildHash = () =>
  hashOf("src", "web", "tsconfig.json", "tsconfig.build.json", "scripts/setup.mjs", "package-lock.json");

const steps = {
  install: { isCurrent: () => readIfThere(installStamp) === installHash(), make: install },
  generate: { isCurrent: () => readIfThere(generateStamp) === generateHash(), make: generate },
  build: { isCurrent: () => readIfThere(buildStamp) === buildHash(), make: build },
};

/** Does the named steps, in order, those of them that are due. Throws a Failure that says what to do. */
export async function setUp(...names) {
  checkNode();
  const wanted = (names.length > 0 ? names : Object.keys(steps)).map((name) => steps[name]);
  if (wanted.every((step) => step.isCurrent())) return;
  await withLock(
    join(stamps, "setup.lock"),
    async () => {
      for (const step of wanted) if (!step.isCurrent()) await step.make();
    },
    () => say("waiting for another set-up of this checkout …"),
  );
}

async function install() {
  const hash = installHash();
  if (!(await isInstalled())) {
    say("installing dependencies (npm ci) …");
    const npm = process.env.npm_execpath;
    const [command, args] =
      npm && basename(npm) === "npm-cli.js"
        ? [process.execPath, [npm]]
        : [process.platform === "win32" ? "npm.cmd" : "npm", []];
    // Tools and tests come along even where NODE_ENV=production would leave them out.
    const { code, output } = await run(command, [...args, "ci", "--include=dev", "--no-audit", "--no-fund"], {
      quiet: true,
    });
    if (code !== 0)
      throw new Failure(`npm ci failed (exit code ${code})\n${output.trimEnd()}\naisle: ${adviceOn(output)}`);
    const problem = await nativeProblem();
    if (problem) throw new Failure(`the native packages do not load\n${problem}\naisle: ${compilerAdvice}`);
  }
  writeFileSync(installStamp, hash);
}

const compilerAdvice =
  "a native package without a build for this platform is compiled, which needs Python 3, make and a C++ compiler " +
  "(Debian: apt-get install python3 make g++; macOS: xcode-select --install)";

/** What to do about a failed `npm ci`, from what it printed. */
export function adviceOn(output) {
  if (/gyp ERR|node-gyp|not found: make|g\+\+/.test(output)) return compilerAdvice;
  if (/EUSAGE|in sync/.test(output))
    return "package-lock.json is behind package.json: npm install && node scripts/complete-lock.mjs";
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/.test(output)) return "the npm registry was not reached";
  return "the lines above are npm's";
}

/** True when npm has already put exactly what the lock names into node_modules and the native packages load. */
async function isInstalled() {
  const hidden = readIfThere(join(root, "node_modules/.package-lock.json"));
  if (hidden === undefined) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const there = JSON.parse(hidden).packages;
  const same = (key) =>
    wanted[key]?.version === there[key]?.version && wanted[key]?.integrity === there[key]?.integrity;
  // npm leaves out optional packages of other platforms, nothing else.
  const complete = Object.keys(wanted).every((key) => key === "" || (there[key] ? same(key) : wanted[key].optional));
  const clean = Object.keys(there).every(same);
  return complete && clean && (await nativeProblem()) === undefined;
}

/** Loads the native packages in a process of its own. Returns what went wrong. */
async function nativeProblem() {
  const load = 'for (const name of ["lmdb", "@node-rs/crc32"]) await import(name);';
  const { code, output } = await run(process.execPath, ["--input-type=module", "--eval", load], { quiet: true });
  return code === 0 ? undefined : output.trimEnd() || `a process that loads them ended with ${code}`;
}

async function generate() {
  if (readIfThere(generateStamp) !== undefined || !(await isAsCommitted(generateInputs))) {
    say("generating code from proto/ …");
    const { code, output } = await run(process.execPath, [join(root, "scripts/generate.mjs")], { quiet: true });
    if (code !== 0) throw new Failure(`code generation failed\n${output.trimEnd()}`);
  }
  mkdirSync(stamps, { recursive: true });
  writeFileSync(generateStamp, generateHash());
}

/** True in a fresh clone: `npm run check` compares the code that is committed with what is generated. */
async function isAsCommitted(paths) {
  const asked = ["status", "--porcelain", "--ignored", "--", ...paths];
  const { code, output } = await run("git", asked, { quiet: true }).catch(() => ({ code: 1, output: "" }));
  return code === 0 && output === "" && existsSync(join(root, ".git"));
}

/** Compiles src/ and bundles web/ beside the present dist/ and changes places at the end, so that a failed build leaves the old one. */
async function build() {
  say("building dist/ …");
  const hash = buildHash();
  const next = `${dist}.next`;
  const old = `${dist}.old`;
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  const { code, output } = await run(bin("tsc"), ["-p", "tsconfig.build.json", "--outDir", next], { quiet: true });
  if (code !== 0) throw new Failure(`the build failed\n${output.trimEnd()}`);
  await buildHelper(join(next, "web/helper"));
  await buildConsole(join(next, "web/console"));
  await bundle(join(root, "web/demo/shop.ts"), join(next, "web/demo/shop.js"));
  for (const file of filesBelow(join(root, "src"))) {
    if (file.endsWith(".ts")) continue;
    mkdirSync(dirname(join(next, file)), { recursive: true });
    cpSync(join(root, "src", file), join(next, file));
  }
  writeFileSync(join(next, ".stamp"), hash);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
  rmSync(old, { recursive: true, force: true });
}

/** The helper for shops' pages, one file of plain JavaScript, and its types. */
async function buildHelper(folder) {
  const helper = join(root, "web/helper");
  await bundle(join(helper, "aisle.ts"), join(folder, "aisle.js"));
  await bundle(join(helper, "aisle.css"), join(folder, "aisle.css"));
  const types = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const { code, output } = await run(bin("tsc"), ["-p", helper, ...types], { quiet: true });
  if (code !== 0) throw new Failure(`the build of the helper failed\n${output.trimEnd()}`);
}

/** A script for pages, with all that it imports. */
async function bundle(entry, outfile) {
  const { build: bundled } = await import("esbuild");
  await bundled({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    logLevel: "silent",
  });
}

/** The console's page: one script, one style sheet, and the licences of what they are made with. */
async function buildConsole(folder) {
  const { build: built } = await import("vite");
  const { NODE_ENV } = process.env;
  await built({
    configFile: false,
    root: join(root, "web/console"),
    base: "/console/",
    logLevel: "error",
    build: {
      outDir: folder,
      target: "es2022",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      license: { fileName: "licenses.md" },
    },
  });
  // Vite says production here, which whatever this process starts next would inherit.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
}
