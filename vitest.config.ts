import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { ALONE, GUARD, OTHER_NODE, REST } from "./test/lanes.js";

/** Of the properties of a run: test/setup.ts. Workers inherit it; the reporter prints it. */
process.env.AISLE_SEED ??= String(randomInt(2 ** 31));

/** One a core; Vitest alone would leave one core idle, which is half of a machine with two. */
const AT_ONCE = availableParallelism();

/** Of 2 cores as of 64: each of these tests starts servers and callers of its own, and some need processors for themselves. */
const WHOLE_SERVERS_AT_ONCE = 2;

/** Many of the rest wait: for browsers, for the clock, for servers that are back. */
const REST_AT_ONCE = 4;

const files = (globs: readonly string[]) => globs.map((glob) => glob.replace(/\*\*$/, "**/*.test.ts"));
/** `dist` and what a fuzzer keeps hold copies of tests. */
const EXCLUDED = [...configDefaults.exclude, "dist/**"];

/** Of tests with whole servers and other programs. */
const LONG = { testTimeout: 120_000 };

export default defineConfig({
  test: {
    // Processes, not threads: LMDB maps files, tests send signals and change the environment.
    pool: "forks",
    maxWorkers: AT_ONCE,
    setupFiles: ["test/setup.ts"],
    // A limit ends what hangs; on a busy machine a test may take some times as long as on a quiet one.
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [...EXCLUDED, ...files(GUARD), ...files(REST), ...Object.keys(ALONE)],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: Object.keys(ALONE), exclude: EXCLUDED, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          ...LONG,
          name: "guard",
          include: files(GUARD),
          exclude: [...EXCLUDED, ...files(REST)],
          maxWorkers: WHOLE_SERVERS_AT_ONCE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG,
          name: "rest",
          include: files(REST),
          exclude: EXCLUDED,
          maxWorkers: REST_AT_ONCE,
          sequence: { groupOrder: 2 },
        },
      },
      // Files of the lanes above once more, so only where they are asked for.
      ...(process.env.AISLE_LANE === "other-node"
        ? [
            {
              extends: true as const,
              test: { ...LONG, name: "other-node", include: files(OTHER_NODE), exclude: EXCLUDED },
            },
          ]
        : []),
    ],
  },
});
