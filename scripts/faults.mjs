// npm run faults [-- --few | --report]: injects every fault in all its rounds (some twenty minutes; --few: as often as
// `npm run test:all` does; --report: none) and writes what came of it into docs/faults.md. Needs what the tests skip without.
// npm run faults -- million [mongo]: 200 kills with a million acknowledged events, by the checker (an hour; it goes on where it was
// stopped), and 20 kills with 100,000 on MongoDB; mongo: these alone.
// npm run faults -- mutants [NAME …]: plants faults in a copy, which the checker or a test must find (half an hour).
// npm run faults -- random-mutants [--seed N] [--count N]: plants faults of one line chosen by seed, which a fast test must find (a minute each).
// npm run faults -- simulate [--histories N] [--seed N]: simulated histories of the core (a thousand; a minute). A seed alone: that one.
// npm run faults -- SUITE: runs one of the long suites below and prints what came of it.
import { join } from "node:path";
import { Failure, root, run, script } from "./lib.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

/** Suites that take long, to run alone. */
const SUITES = {
  /** Ten minutes of impatient, cancelling, oversized, half-finished and returning RPC clients. */
  soak: "test/hostile/soak.test.ts",
  /** Three minutes of deadlines of 2 ms for each client and each way to the server; half an hour. */
  "short-deadlines": "test/hostile/short-deadlines.test.ts",
  /** 100 kills of the process that looks after the others, and 100 second SIGTERMs. It has rows in the table, too. */
  "abrupt-ends": "test/faults/abrupt-shutdown.test.ts",
  /** 56 stalls of 36 s of the disk or 40 s of a process. It has a row in the table, too. */
  stalls: "test/faults/stalls.test.ts",
  /** 10,000 flipped bits in the files of a small store; some minutes. It has a row in the table, too. */
  flips: "test/faults/flips.test.ts",
  /** 10,000 seeded histories of two servers over the replica set of the tests; some ten minutes. */
  "mongo-histories": "test/store/mongo/histories.test.ts",
};
/** Scripts of their own, and the arguments of node before them. */
const SCRIPTS = {
  million: ["--import", "tsx", "test/faults/million.ts"],
  mutants: ["checker/mutants/run.mjs"],
  "random-mutants": ["scripts/random-mutants.mjs"],
  simulate: ["test/faults/simulator/run.mjs"],
};
const OPTIONS = ["--few", "--report", ...Object.keys(SCRIPTS), ...Object.keys(SUITES)];

await script(async () => {
  const [option, ...names] = process.argv.slice(2);
  if (option !== undefined && !OPTIONS.includes(option)) throw new Failure(`accepted: ${OPTIONS.join(", ")}`);
  await setUp(...EVERYTHING);
  if (option !== undefined && Object.hasOwn(SCRIPTS, option)) {
    const { code } = await run(process.execPath, [...SCRIPTS[option], ...names], { cwd: root });
    if (option === "million" || option === "mutants")
      await run(process.execPath, ["checker/report.mjs"], { cwd: root });
    return code;
  }
  const vitest = (path, more) => {
    const env = { ...process.env, CI: "true", ...more };
    const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", path, "--no-file-parallelism"];
    return run(process.execPath, args, { env });
  };
  const full = { AISLE_FAULTS: "full" };
  if (option !== undefined && Object.hasOwn(SUITES, option)) return (await vitest(SUITES[option], full)).code;
  if (option !== "--report") {
    const { code } = await vitest("test/faults", option === "--few" ? {} : full);
    if (code !== 0) return code;
  }
  return (await run(process.execPath, ["--import", "tsx", join(root, "test/faults/write-report.ts")])).code;
});
