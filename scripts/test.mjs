// npm test [-- VITEST ARGUMENTS]: sets the checkout up, runs the fast tests and ends with `N passed, N failed`; with --all,
// --slow or files named, the tests of these. vitest.config.ts says which tests are fast.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, readIfThere, root, run, say, script } from "./lib.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

await script(async () => {
  try {
    await setUp(...EVERYTHING);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(error.message);
    console.log("0 passed, 1 failed");
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "aisle-test-"));
  const counts = join(folder, "counts.json");
  const args = vitestArguments(process.argv.slice(2));
  // Naming a reporter replaces the ones of the configuration, so ours is named along with it.
  const named = args.some((arg) => arg.startsWith("--reporter"));
  const reporters = [...(named ? [] : ["--reporter=default"]), "--reporter=./scripts/count-reporter.mjs"];
  try {
    const { code } = await run(
      process.execPath,
      [join(root, "node_modules/vitest/vitest.mjs"), "run", ...reporters, ...args],
      {
        env: { ...process.env, AISLE_TEST_COUNTS: counts },
      },
    );
    const { passed, failed, skipped } = JSON.parse(readIfThere(counts) ?? '{"passed":0,"failed":0,"skipped":0}');
    console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    return code !== 0 ? code : failed > 0 || passed === 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Without files or a project named, the fast tests; `--all` all of them, `--slow` all others. */
function vitestArguments([first, ...rest]) {
  if (first === "--all") return rest;
  if (first === "--slow") return ["--project=slow", "--project=others", "--project=timed", ...rest];
  const all = first === undefined ? [] : [first, ...rest];
  const isChosen = all.some((arg) => !arg.startsWith("-") || arg.startsWith("--project"));
  return isChosen ? all : ["--project=fast", ...all];
}
