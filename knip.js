// What `npm run check` asks of every file and export: that somebody imports it, and with --production that the product
// does. An export that only its own file and a test use is then fine.
const isProduction = process.argv.includes("--production");

/** @type {import("knip").KnipConfig} */
export default {
  include: ["files", "exports", "types"],
  entry: [
    "src/main.ts!",
    "src/server/machine-limits.ts!",
    "src/server/training-worker.ts!",
    "src/server/store-reader.ts!",
    "src/server/workers/worker.ts!",
    "src/learning/kernels/assembly/*.ts!",
    "web/*/*.{ts,tsx}",
    "scripts/**/*.mjs",
    "bench/*.ts",
    "bench/*/*.ts",
    "test/**/*.test.ts",
    "test/setup.ts",
    "test/fuzz/{targets,planted}/*.ts",
    "test/**/children/*.ts",
    "test/faults/{million,write-report}.ts",
    "test/faults/simulator/{simulate,files}.ts", // bundled by run.mjs
  ],
  project: ["src/**/*.ts!", "!src/gen/**!", "web/**/*.{ts,tsx}", "bench/**/*.ts", "test/**/*.ts"],
  ignore: ["src/gen/**"],
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
};
