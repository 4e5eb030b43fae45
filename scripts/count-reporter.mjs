// A vitest reporter: writes the counts of a run to the file that AISLE_TEST_COUNTS names, lists what was skipped, and says
// which seed the properties had and how a failure is repeated.
import { writeFileSync } from "node:fs";

/** So many commands at the end are read; more failures than that have one cause. */
const COMMANDS_SHOWN = 10;

export default class CountReporter {
  onInit(vitest) {
    // With -t every test of another name counts as skipped; nobody wants to read those.
    this.filtered = Boolean(vitest.config.testNamePattern);
    console.log(`seed of the properties: ${process.env.AISLE_SEED}`);
  }

  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    // An error outside any test (a module that does not load, a hook, a stray rejection) counts as one failed test.
    let failed = unhandledErrors.length;
    let skipped = 0;
    const reasons = new Map();
    const repeat = new Set();
    for (const module of modules) {
      const errors = module.errors().length;
      failed += errors;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      if (errors > 0) repeat.add(commandOf(module.relativeModuleId));
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") {
          failed += 1;
          repeat.add(commandOf(module.relativeModuleId, test.name));
        } else {
          skipped += 1;
          const name = note ? `${test.fullName}: ${note}` : outermostSkipped(test).fullName;
          const reason = `${module.relativeModuleId} > ${name}`;
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
      }
    }
    if (!this.filtered) {
      for (const [reason, count] of reasons)
        console.log(`skipped: ${reason} (${count} ${count === 1 ? "test" : "tests"})`);
    }
    for (const command of [...repeat].slice(0, COMMANDS_SHOWN)) console.log(`repeat: ${command}`);
    const path = process.env.AISLE_TEST_COUNTS;
    if (path) writeFileSync(path, JSON.stringify({ passed, failed, skipped }));
  }
}

/** What runs a test again with the same cases, as a line for a shell. */
export function commandOf(file, name) {
  const lane = process.env.AISLE_LANE ? `AISLE_LANE=${process.env.AISLE_LANE} ` : "";
  const named = name === undefined ? "" : ` -t ${quoted(name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))}`;
  return `${lane}AISLE_SEED=${process.env.AISLE_SEED} npm test -- ${file}${named}`;
}

/** As one word of a shell. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The outermost suite that was skipped as a whole, or the test itself. */
function outermostSkipped(test) {
  let found = test;
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) {
    if (suite.options.mode === "skip" || suite.options.mode === "todo") found = suite;
  }
  return found;
}
