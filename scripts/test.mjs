// npm test [-- VITEST ARGUMENTS]: sets the checkout up, runs the fast tests and ends with `N passed, N failed`; or those of the
// files that are named. test/lanes.ts says which tests are in which lane.
// --guard: whole servers, stores and faults instead. --all: all lanes, then the fast tests on another version of Node.
// --other-node: what depends on the version of Node, on another one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, readIfThere, root, run, say, script } from "./lib.mjs";
import { otherNode } from "./other-node.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

const FAST = ["--project=fast", "--project=alone"];

await script(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const total = { passed: 0, failed: 0, skipped: 0 };
  try {
    await setUp(...EVERYTHING);
    if (first === "--all") {
      const all = { ...process.env, AISLE_LANE: "all" };
      await vitest(total, rest, { env: all });
      if (rest.length === 0) {
        const other = await otherNode();
        await vitest(total, FAST, { ...other, env: { ...other.env, AISLE_LANE: "all" } });
      }
    } else if (first === "--guard") await vitest(total, ["--project=guard", ...rest]);
    else if (first === "--other-node") {
      const other = await otherNode();
      await vitest(total, ["--project=other-node", ...rest], {
        ...other,
        env: { ...other.env, AISLE_LANE: "other-node" },
      });
    } else await vitest(total, chosen(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(error.message);
    total.failed += 1;
  }
  const { passed, failed, skipped } = total;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 || passed === 0 ? 1 : 0;
});

/** Adds what came of a run to `total`. A run that fails without a failed test counts as one. */
async function vitest(total, args, { node = process.execPath, env = process.env, version = process.version } = {}) {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "aisle-test-"));
  const counts = join(folder, "counts.json");
  // Naming a reporter replaces the ones of the configuration, so ours is named along with it.
  const named = args.some((arg) => arg.startsWith("--reporter"));
  const reporters = [...(named ? [] : ["--reporter=default"]), "--reporter=./scripts/count-reporter.mjs"];
  try {
    const { code } = await run(node, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...reporters, ...args], {
      env: { ...env, AISLE_TEST_COUNTS: counts },
    });
    const found = JSON.parse(readIfThere(counts) ?? '{"passed":0,"failed":0,"skipped":0}');
    if (code !== 0 && found.failed === 0) found.failed = 1;
    for (const key of Object.keys(total)) total[key] += found[key];
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`${args.join(" ") || "all lanes"} on Node ${version}: ${seconds} s`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without files or a project named, the fast tests. */
function chosen(args) {
  const isChosen = args.some((arg) => !arg.startsWith("-") || arg.startsWith("--project"));
  return isChosen ? args : [...FAST, ...args];
}
