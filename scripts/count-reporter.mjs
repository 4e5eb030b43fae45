// A vitest reporter: writes the counts of a run to the file that AISLE_TEST_COUNTS names and lists what was skipped.
import { writeFileSync } from "node:fs";

export default class CountReporter {
  onInit(vitest) {
    // With -t every test of another name counts as skipped; nobody wants to read those.
    this.filtered = Boolean(vitest.config.testNamePattern);
  }

  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    // An error outside any test (a module that does not load, a hook, a stray rejection) counts as one failed test.
    let failed = unhandledErrors.length;
    let skipped = 0;
    const reasons = new Map();
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else {
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
    const path = process.env.AISLE_TEST_COUNTS;
    if (path) writeFileSync(path, JSON.stringify({ passed, failed, skipped }));
  }
}

/** The outermost suite that was skipped as a whole, or the test itself. */
function outermostSkipped(test) {
  let found = test;
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) {
    if (suite.options.mode === "skip" || suite.options.mode === "todo") found = suite;
  }
  return found;
}
