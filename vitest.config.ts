import { defineConfig } from "vitest/config";

/** Whole servers, other languages, browsers, a MongoDB peer, foreign data sets: minutes, and tools besides Node. */
const SLOW = [
  "test/cli/import/memory.test.ts",
  "test/clients/**",
  "test/docs/commands.test.ts",
  "test/docs/site.test.ts",
  "test/flow/**",
  "test/fuzz/**",
  "test/openapi/**",
  "test/store/mongo/**",
  "test/store/migrate/**",
  "test/web/**",
  "test/wire/mongo.test.ts",
  "test/wire/remote.test.ts",
  "test/learning/evaluation/shared-data.test.ts",
  "test/learning/evaluation/small-shops.test.ts",
  "test/learning/training/reproducible-training.test.ts",
  "test/scripts/**",
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

/** Of 2 cores as of 64: each of these tests starts servers and callers of its own. */
const TIMED_AT_ONCE = 2;

const tests = (folders: readonly string[]) => folders.map((folder) => folder.replace(/\*\*$/, "**/*.test.ts"));
const EXCLUDED = ["node_modules/**", "dist/**"];

export default defineConfig({
  test: {
    // Processes, not threads: LMDB maps files, tests send signals and change the environment.
    pool: "forks",
    setupFiles: ["test/setup.ts"],
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [...EXCLUDED, ...SLOW, ...TIMED],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: tests(SLOW),
          exclude: [...EXCLUDED, ...TIMED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
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
