// Plants each fault of mutants.mjs in a copy of the checkout and runs the checker, the test and the simulator that should find it:
// npm run faults -- mutants [--checker] [NAME …]. What caught it, and after how long, goes to results.json. With --checker it runs
// the checker alone, and keeps what the others found.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import { MUTANTS } from "./mutants.mjs";

const root = resolve(import.meta.dirname, "../..");
const results = join(import.meta.dirname, "results.json");
const LIMIT_MS = 400_000;
/** What has passed without a planted fault. */
const passed = new Set();

const copy = mkdtempSync(join(tmpdir(), "aisle-mutants-"));
try {
  for (const name of [
    "src",
    "dist",
    "bin",
    "checker",
    "test",
    "scripts",
    "web",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const words = process.argv.slice(2);
  const wanted = words.filter((word) => word !== "--checker");
  const isWhole = wanted.length === words.length;
  const found = JSON.parse(readFileSync(results, "utf8"));
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  for (const mutant of MUTANTS.filter(
    ({ name, faults }) =>
      (wanted.length === 0 || wanted.some((word) => name.includes(word))) && (isWhole || faults !== undefined),
  ).map((one) => (isWhole ? one : { ...one, test: undefined, simulator: undefined }))) {
    await mustPass(mutant);
    const outcome = await withPlanted(mutant, () => judge(mutant));
    for (const one of Object.values(outcome)) one.commit = commit;
    found[mutant.name] = { ...found[mutant.name], ...outcome };
    writeFileSync(results, `${JSON.stringify(found, undefined, 2)}\n`);
    console.log(mutant.name, outcome);
  }
  const missed = MUTANTS.filter(({ name }) => !isCaught(found[name]));
  console.log(
    `${MUTANTS.length - missed.length} of ${MUTANTS.length} caught`,
    missed.map(({ name }) => name),
  );
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function isCaught(outcome) {
  return [outcome?.checker, outcome?.test, outcome?.simulator].some((one) => one?.caught);
}

/** What fails without a planted fault catches none. */
async function mustPass({ name, test, faults, only, simulator }) {
  for (const part of [{ test }, { faults, only }, { simulator }]) {
    const key = JSON.stringify(part);
    if (passed.has(key)) continue;
    passed.add(key);
    if (isCaught(await judge(part))) throw new Error(`fails without the fault of "${name}": ${key}`);
  }
}

/** Runs `body` while the fault is in the copy's source and in its build. */
async function withPlanted({ name, file, search, replace }, body) {
  const source = join(copy, file);
  const built = join(copy, file.replace(/^src/, "dist").replace(/ts$/, "js"));
  const [text, code] = [readFileSync(source, "utf8"), readFileSync(built, "utf8")];
  if (text.split(search).length !== 2) throw new Error(`${name}: ${file} has not once what is to be replaced`);
  const planted = text.replace(search, () => replace);
  writeFileSync(source, planted);
  writeFileSync(built, transformSync(planted, { loader: "ts", format: "esm", target: "node20" }).code);
  try {
    return await body();
  } finally {
    writeFileSync(source, text);
    writeFileSync(built, code);
  }
}

async function judge({ name, faults, only, test, simulator }) {
  const outcome = {};
  if (simulator !== undefined) {
    const planted = name === undefined ? [] : ["--mutant", name];
    const options = ["--histories", "1500", "--stop-at-fault", ...planted];
    outcome.simulator = await caughtBy(process.execPath, [join(root, "test/faults/simulator/run.mjs"), ...options]);
  }
  if (faults !== undefined) {
    const serve = `${process.execPath} bin/aisle.js serve --store embedded:{dir}/store --facade-port {rest} --rpc-port {rpc}`;
    const backup = `${process.execPath} bin/aisle.js backup --store embedded:{dir}/store --to {copy}/store`;
    const options = [
      "--backup",
      backup,
      "--faults",
      faults,
      "--only",
      only,
      "--seconds",
      "60",
      "--rounds",
      "12",
      "--seed",
      "7",
      "--stop-at-fault",
    ];
    outcome.checker = await caughtBy("python3", [
      "checker/check.py",
      "--serve",
      serve,
      "--history",
      "mutant.jsonl",
      ...options,
    ]);
  }
  if (test !== undefined) {
    const [path, name] = test;
    const args = [
      "node_modules/vitest/vitest.mjs",
      "run",
      path,
      "--maxWorkers=1",
      ...(name === "" ? [] : ["-t", name]),
    ];
    outcome.test = { name: path, ...(await caughtBy(process.execPath, args)) };
  }
  return outcome;
}

/** A command that fails has caught the fault. */
function caughtBy(command, args) {
  const from = Date.now();
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: copy,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
      env: { ...process.env, TMPDIR: copy },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += chunk;
      });
    child.on("close", (code) => {
      if (code === null)
        return fail(new Error(`${args[0]} did not end within ${LIMIT_MS / 1000} s, which says nothing`));
      const words =
        /^(?:lost|doubled|wrong|dead|seed \d+): .*$|AssertionError: .*$|The server is not ready/m.exec(said)?.[0] ?? "";
      done({ caught: code !== 0, seconds: Math.round((Date.now() - from) / 1000), words: words.slice(0, 160) });
    });
  });
}
