import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Whole servers and a MongoDB peer: minutes. */
const SLOW = [
  "test/cli/import/memory.test.ts",
  "test/flow/**",
  "test/learning/training/reproducible-training.test.ts",
  "test/scripts/**",
  "test/store/mongo/**",
  "test/store/migrate/**",
  "test/wire/mongo.test.ts",
  "test/wire/remote.test.ts",
];

/** Programs and data of others: compilers, browsers, fuzzers, data sets. They say the same on every version of Node. */
const OTHERS = [
  "test/adapters/hnsw/real-catalogues.test.ts",
  "test/clients/**",
  "test/deploy/kubernetes.test.ts",
  "test/docs/commands.test.ts",
  "test/docs/site.test.ts",
  "test/fuzz/**",
  "test/learning/evaluation/shared-data.test.ts",
  "test/learning/evaluation/small-shops.test.ts",
  "test/learning/text/real-catalogues.test.ts",
  "test/openapi/**",
  "test/web/**",
];

/** Tests of time limits, stalls, kills and overload: they need processors for themselves. */
const TIMED = [
  "test/faults/**",
  "test/hostile/**",
  "test/flow/replicas.test.ts",
  "test/flow/shared-database.test.ts",
  "test/flow/slow-store.test.ts",
  "test/flow/workers.test.ts",
  "test/server/machine-limits.test.ts",
];

/** One a core; Vitest alone would leave one core idle, which is half of a machine with two. */
const AT_ONCE = availableParallelism();

/** Of 2 cores as of 64: each of these tests starts servers and callers of its own. */
const TIMED_AT_ONCE = 2;

/** Of tests with whole servers and other programs. */
const LONG = { testTimeout: 120_000 };

const tests = (folders: readonly string[]) => folders.map((folder) => folder.replace(/\*\*$/, "**/*.test.ts"));
const EXCLUDED = ["node_modules/**", "dist/**"];

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
          exclude: [...EXCLUDED, ...SLOW, ...OTHERS, ...TIMED],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG,
          name: "slow",
          include: tests(SLOW),
          exclude: [...EXCLUDED, ...TIMED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG,
          name: "others",
          include: tests(OTHERS),
          exclude: EXCLUDED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG,
          name: "timed",
          include: tests(TIMED),
          exclude: EXCLUDED,
          maxWorkers: TIMED_AT_ONCE,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
