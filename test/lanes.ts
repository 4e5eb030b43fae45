/** Which tests run when. Every file is in one lane: `fast` unless it is named below. */

/** Kept by every push, beside the fast ones: whole servers and their stores, calls as they go over the wire, faults, one attack of each kind. */
export const GUARD = [
  "test/flow/**",
  "test/store/migrate/**",
  "test/store/mongo/**",
  "test/wire/mongo.test.ts",
  "test/wire/remote.test.ts",
  "test/faults/**",
  "test/hostile/**",
];

/** The rest of `npm run test:all`: programs and data of others (compilers, browsers, fuzzers, catalogues), long faults and attacks. */
export const REST = [
  "test/adapters/hnsw/real-catalogues.test.ts",
  "test/cli/import/memory.test.ts",
  "test/clients/**",
  "test/deploy/kubernetes.test.ts",
  "test/docs/commands.test.ts",
  "test/docs/site.test.ts",
  "test/faults/abrupt-shutdown.test.ts",
  "test/faults/attacks.test.ts",
  "test/faults/checker.test.ts",
  "test/faults/clock.test.ts",
  "test/faults/crash-loop.test.ts",
  "test/faults/damaged-file.test.ts",
  "test/faults/damaged-server.test.ts",
  "test/faults/database-outage.test.ts",
  "test/faults/erasure.test.ts",
  "test/faults/flipped-byte.test.ts",
  "test/faults/flips.test.ts",
  "test/faults/moved-store.test.ts",
  "test/faults/report.test.ts",
  "test/faults/rolling-restarts.test.ts",
  "test/faults/stalls.test.ts",
  "test/faults/unreadable-files.test.ts",
  "test/flow/new-products.test.ts",
  "test/flow/replicas.test.ts",
  "test/flow/serve-training.test.ts",
  "test/flow/shared-database.test.ts",
  "test/fuzz/**",
  "test/hostile/cancelled-streams.test.ts",
  "test/hostile/connections-per-address.test.ts",
  "test/hostile/enumeration.test.ts",
  "test/hostile/short-deadlines.test.ts",
  "test/hostile/soak.test.ts",
  "test/hostile/unfinished-calls.test.ts",
  "test/learning/evaluation/shared-data.test.ts",
  "test/learning/evaluation/small-shops.test.ts",
  "test/learning/text/real-catalogues.test.ts",
  "test/learning/training/reproducible-training.test.ts",
  "test/openapi/**",
  "test/scripts/**",
  "test/server/machine-limits.test.ts",
  "test/web/**",
];

/** Fast tests that need a process of their own, and why. The others of a worker share one, and the modules they load. */
export const ALONE: Readonly<Record<string, string>> = {};

/** What another version of Node may change: native packages, the start, TLS, the store. */
export const OTHER_NODE = [
  "test/adapters/hnsw/vector-indexes.test.ts",
  "test/flow/rpc-tls.test.ts",
  "test/flow/startup.test.ts",
  "test/flow/tls.test.ts",
  "test/services/wire/rpc-tls.test.ts",
  "test/store/lmdb/**",
];
