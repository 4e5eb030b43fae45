// npm run faults -- random-mutants [--seed N] [--count N] [--limit SECONDS] [--only FILE …] [--list]
//
// Plants faults of one line, chosen by seed, in a copy of the checkout, one at a time, and runs the fast tests that load the changed
// file, the nearest first, until one fails. A test that fails without the fault as well catches nothing. MISSED: every such test
// passes, so that either nothing tests the line or the change changes nothing. --only: those of
// the chosen ones that are in these files. --list: says what would be planted, and plants nothing.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Failure, filesBelow, readIfThere, root, script } from "./lib.mjs";
import { choose, compiled, planted } from "./mutation/choose.mjs";

/** How many tests are asked at once: the nearest first, for most faults are caught by them. */
const BATCHES = [2, 6, 16, Number.POSITIVE_INFINITY];
const LATE = Symbol("late");

await script(async () => {
  const { seed, count, limit, only, list } = options();
  const mutants = choose(seed, count).filter(({ file }) => only?.includes(file) ?? true);
  console.log(`seed ${seed}`);
  if (list) {
    for (const mutant of mutants) console.log(describe(mutant));
    return 0;
  }
  const copy = mkdtempSync(join(tmpdir(), "aisle-random-mutants-"));
  try {
    copyCheckout(copy);
    const importers = importersIn(copy);
    const failing = new Set();
    let caught = 0;
    for (const mutant of mutants) {
      const from = Date.now();
      const verdict = await judge({ copy, mutant, tests: testsOf(mutant.file, importers), limit, failing });
      if (verdict.startsWith("caught")) caught += 1;
      console.log(`${describe(mutant)}: ${verdict} (${Math.round((Date.now() - from) / 1000)} s)`);
    }
    for (const file of failing) console.log(`${file} fails without a fault, and was not asked`);
    console.log(`${caught} of ${mutants.length} caught`);
    return caught === mutants.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

function options() {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      count: { type: "string" },
      limit: { type: "string" },
      only: { type: "string", multiple: true },
      list: { type: "boolean" },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  const [count, limit] = [Number(values.count ?? 20), Number(values.limit ?? 180)];
  if (!Number.isInteger(seed) || !Number.isInteger(count) || !(count > 0 && limit > 0))
    throw new Failure("--seed, --count and --limit take numbers");
  return { seed, count, limit, only: values.only, list: values.list };
}

function describe({ file, line, before, after }) {
  return `${file}:${line} ${before} -> ${after}`;
}

function copyCheckout(copy) {
  const left = new Set(["node_modules", ".git", "build"].map((name) => join(root, name)));
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !left.has(path) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  mkdirSync(join(copy, "tmp"));
}

/** By file: those that import it, by a statement or by a URL beside them. */
function importersIn(copy) {
  const importers = new Map();
  for (const folder of ["src", "test", "bench"])
    for (const name of filesBelow(join(copy, folder)).filter((path) => /\.ts$/.test(path))) {
      const file = join(folder, name);
      for (const [, specifier] of readFileSync(join(copy, file), "utf8").matchAll(/"(\.{1,2}\/[^"\n]+\.(?:js|ts))"/g)) {
        const target = relative(copy, resolve(copy, dirname(file), specifier)).replace(/js$/, "ts");
        if (!importers.has(target)) importers.set(target, new Set());
        importers.get(target).add(file);
      }
    }
  return importers;
}

/** The tests that load a file: the one of its name first, then those of its folder, then those with fewer imports between. */
function testsOf(file, importers) {
  const seen = new Set([file]);
  for (const each of seen) for (const importer of importers.get(each) ?? []) seen.add(importer);
  const folder = `${dirname(file).replace(/^src/, "test")}/`;
  const rank = (test) => (basename(test, ".test.ts") === basename(file, ".ts") ? 0 : test.startsWith(folder) ? 1 : 2);
  return [...seen].filter((name) => name.endsWith(".test.ts")).sort((a, b) => rank(a) - rank(b));
}

/** What came of a mutant, in words. */
async function judge({ copy, mutant, tests, limit, failing }) {
  const ends = Date.now() + limit * 1000;
  const source = join(copy, mutant.file);
  const built = source.replace(join(copy, "src"), join(copy, "dist")).replace(/ts$/, "js");
  const wasBuilt = readIfThere(built);
  const withFault = async (body) => {
    writeFileSync(source, planted(mutant));
    if (wasBuilt !== undefined) writeFileSync(built, compiled(mutant));
    try {
      return await body();
    } finally {
      writeFileSync(source, mutant.text);
      if (wasBuilt !== undefined) writeFileSync(built, wasBuilt);
    }
  };
  let from = 0;
  for (const size of BATCHES) {
    let batch = tests.slice(from, from + size);
    from += batch.length;
    for (;;) {
      batch = batch.filter((file) => !failing.has(file));
      if (batch.length === 0) break;
      const failed = await withFault(() => firstFailure(copy, batch, ends));
      if (failed === undefined) break;
      if (failed === LATE) return `UNDECIDED after ${limit} s and ${from - batch.length} of ${tests.length} files`;
      const without = await firstFailure(copy, [failed.file], Date.now() + limit * 1000);
      if (without === undefined) return `caught by ${failed.file} "${failed.name}"`;
      if (without === LATE)
        return `UNDECIDED, ${failed.file} fails, and without the fault takes longer than ${limit} s`;
      failing.add(failed.file);
    }
  }
  return tests.length === 0 ? "MISSED, no test loads it" : `MISSED by ${tests.length} files`;
}

/** The first test of these files that fails, undefined when all pass, LATE when they do not end in time. */
async function firstFailure(copy, files, ends) {
  const report = join(copy, "tmp/report.json");
  rmSync(report, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--project", "fast", "--passWithNoTests"];
  const child = spawn(process.execPath, [...args, "--reporter=json", `--outputFile=${report}`, ...files], {
    cwd: copy,
    stdio: "ignore",
    detached: true, // a group of its own, so that its workers end with it
    env: { ...process.env, TMPDIR: join(copy, "tmp") },
  });
  let isLate = false;
  const limit = setTimeout(
    () => {
      isLate = true;
      process.kill(-child.pid, "SIGKILL");
    },
    Math.max(0, ends - Date.now()),
  );
  const code = await new Promise((done) => child.once("close", done));
  clearTimeout(limit);
  if (isLate) return LATE;
  if (code === 0) return undefined;
  if (!existsSync(report)) throw new Failure(`vitest ended with ${code} and without a report`);
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const result = testResults.find(({ status }) => status === "failed");
  if (result === undefined) throw new Failure(`vitest ended with ${code}, and no test failed`);
  const name = result.assertionResults.find(({ status }) => status === "failed")?.fullName ?? result.message;
  return { file: relative(copy, result.name), name };
}
