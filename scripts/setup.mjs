// Brings a checkout into the state in which the server and the tests run: packages, generated code, dist/.
// Each step is skipped when nothing it depends on has changed since it last succeeded, which costs some 20 ms to know.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { checkNode, Failure, hashOf, readIfThere, root, run, say, stamps } from "./lib.mjs";
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
  "scripts/protocols",
  "scripts/lib.mjs",
  "src/gen",
];
const generateHash = () => hashOf(...generateInputs);

const buildHash = () => hashOf("src", "web", "tsconfig.json", "scripts/dist.mjs", "package-lock.json");

/** What is in node_modules: the dependencies, which build and serve, or the tools of checks and tests as well. */
const [SERVING, ALL] = ["dependencies", "dependencies and tools"];
const installed = () => readIfThere(installStamp);

const steps = {
  install: {
    isCurrent: () => [SERVING, ALL].some((what) => installed() === `${installHash()} ${what}`),
    make: () => install(SERVING),
  },
  tools: { isCurrent: () => installed() === `${installHash()} ${ALL}`, make: () => install(ALL) },
  generate: { isCurrent: () => readIfThere(generateStamp) === generateHash(), make: generate },
  build: { isCurrent: () => readIfThere(buildStamp) === buildHash(), make: build },
};

/** What a server needs: the default of `setUp`. */
const TO_SERVE = ["install", "generate", "build"];
/** What tests and benchmarks need. */
export const EVERYTHING = ["tools", "generate", "build"];

/** Does the named steps, in order, those of them that are due. Throws a Failure that says what to do. */
export async function setUp(...names) {
  checkNode();
  const wanted = (names.length > 0 ? names : TO_SERVE).map((name) => steps[name]);
  if (wanted.every((step) => step.isCurrent())) return;
  await withLock(
    join(stamps, "setup.lock"),
    async () => {
      for (const step of wanted) if (!step.isCurrent()) await step.make();
    },
    () => say("waiting for another set-up of this checkout …"),
  );
}

async function install(wanted) {
  const hash = installHash();
  const found = await inPlace();
  // A checkout that is worked on does not lose its tools with each new lock.
  const what = wanted === ALL ? ALL : (found.what ?? (found.hasTools ? ALL : SERVING));
  if (found.what !== what) {
    // Packages in place are not touched when tools are added: a server may run from them.
    const command = found.what === SERVING ? ["install", "--no-save"] : ["ci"];
    // What a server needs comes prebuilt, but for hnswlib-node.
    const flags = what === ALL ? ["--include=dev"] : ["--omit=dev", "--ignore-scripts"];
    say(`installing ${found.what === SERVING ? "tools" : what} (npm ${command[0]}) …`);
    const { code, output } = await npm(...command, ...flags, "--no-audit", "--no-fund");
    if (code !== 0)
      throw new Failure(
        `npm ${command[0]} failed (exit code ${code})\n${output.trimEnd()}\naisle: ${adviceOn(output)}`,
      );
    if (await nativeProblem()) await npm("rebuild"); // a platform without builds
    const problem = await nativeProblem();
    if (problem) throw new Failure(`the native packages do not load\n${problem}\naisle: ${compilerAdvice}`);
  }
  writeFileSync(installStamp, `${hash} ${what}`);
  if (what === ALL) await compileHnswlib();
  else
    spawn(process.execPath, [join(root, "scripts/compile-hnswlib.mjs")], { detached: true, stdio: "ignore" }).unref();
}

const hnswlib = join(root, "node_modules/hnswlib-node");

/** Compiles hnswlib-node, unless it is compiled. Without a compiler it stays as it is, and a server compares vectors. */
export async function compileHnswlib() {
  const isDue = () => existsSync(hnswlib) && !existsSync(join(hnswlib, "build/Release/addon.node"));
  if (!isDue()) return;
  mkdirSync(stamps, { recursive: true });
  await withLock(join(stamps, "hnswlib.lock"), async () => {
    if (isDue()) await npm("rebuild", "hnswlib-node");
  });
}

function npm(...args) {
  const path = process.env.npm_execpath;
  const [command, first] =
    path && basename(path) === "npm-cli.js"
      ? [process.execPath, [path]]
      : [process.platform === "win32" ? "npm.cmd" : "npm", []];
  return run(command, [...first, ...args], { quiet: true });
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

/** What of the lock npm has already put into node_modules; nothing unless it is exactly what the lock names and works. */
async function inPlace() {
  const hidden = readIfThere(join(root, "node_modules/.package-lock.json"));
  if (hidden === undefined) return { hasTools: false };
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const there = JSON.parse(hidden).packages;
  const hasTools = Object.values(there).some(({ dev }) => dev);
  const same = (key) =>
    wanted[key]?.version === there[key]?.version && wanted[key]?.integrity === there[key]?.integrity;
  const missing = Object.keys(wanted).filter((key) => key !== "" && !there[key]);
  // npm leaves out optional packages of other platforms.
  const without = (mayLack) => missing.every((key) => wanted[key].optional || mayLack(wanted[key]));
  const isClean = Object.keys(there).every(same);
  if (!isClean || !without(({ dev }) => dev) || (await nativeProblem()) !== undefined) return { hasTools };
  return { hasTools, what: without(() => false) ? ALL : SERVING };
}

/** Loads the native packages in a process of its own. Returns what went wrong. */
async function nativeProblem() {
  const load = 'for (const name of ["lmdb", "@node-rs/crc32"]) await import(name);';
  const { code, output } = await run(process.execPath, ["--input-type=module", "--eval", load], { quiet: true });
  return code === 0 ? undefined : output.trimEnd() || `a process that loads them ended with ${code}`;
}

async function generate() {
  if (!(await isAsCommitted(generateInputs))) {
    // buf and the compiler of the kernels are tools.
    if (!steps.tools.isCurrent()) await install(ALL);
    say("generating code from proto/ …");
    const { code, output } = await run(process.execPath, [join(root, "scripts/generate.mjs")], { quiet: true });
    if (code !== 0) throw new Failure(`code generation failed\n${output.trimEnd()}`);
  }
  mkdirSync(stamps, { recursive: true });
  writeFileSync(generateStamp, generateHash());
}

/**
 * True in a clone without changes, and in a copy without git, such as the one that the image is built from. `npm run check`
 * compares the code that is committed with what is generated.
 */
async function isAsCommitted(paths) {
  if (!existsSync(join(root, ".git"))) return true;
  const asked = ["status", "--porcelain", "--ignored", "--", ...paths];
  const { code, output } = await run("git", asked, { quiet: true }).catch(() => ({ code: 1, output: "" }));
  return code === 0 && output === "";
}

/** Makes dist/ beside the present one and changes places at the end, so that a failed build leaves the old one. */
async function build() {
  say("building dist/ …");
  const hash = buildHash();
  const next = `${dist}.next`;
  const old = `${dist}.old`;
  for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
  const { makeDist } = await import("./dist.mjs");
  await makeDist(next).catch((error) => {
    throw new Failure(`the build failed\n${error.message}`);
  });
  writeFileSync(join(next, ".stamp"), hash);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
  rmSync(old, { recursive: true, force: true });
}
