// A target with everything it imports in one file, our code and the parsers of its packages instrumented.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { build, transform } from "esbuild";
import { createInstrumenter } from "istanbul-lib-instrument";
import { root } from "../lib.mjs";

/** Of bundles and findings; may be deleted. */
export const fuzzFolder = join(root, ".stamps/fuzz");

/** The name of the global that the instrumented code counts in. */
export const COUNTERS = "__fuzzCounters__";

const targets = join(root, "test/fuzz/targets");

export function targetNames() {
  return readdirSync(targets)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.slice(0, -3))
    .sort();
}

const PARSERS =
  /[\\/](?:test[\\/]fuzz|src[\\/](?:facade|feed|services|amounts|domain)|node_modules[\\/](?:@fastify[\\/]busboy|saxes))[\\/].*\.[cm]?[jt]s$/;

const instrumented = {
  name: "instrumented",
  setup({ onLoad }) {
    onLoad({ filter: PARSERS }, async ({ path }) => {
      const isTypeScript = extname(path) === ".ts";
      const text = readFileSync(path, "utf8");
      const code = isTypeScript ? (await transform(text, { loader: "ts", target: "node20" })).code : text;
      const instrumenter = createInstrumenter({
        esModules: isTypeScript,
        coverageVariable: COUNTERS,
        coverageGlobalScope: "globalThis",
        coverageGlobalScopeFunc: false,
      });
      return { contents: instrumenter.instrumentSync(code, path), loader: "js" };
    });
  },
};

/** Makes the file for a target, by its name or the path of another one, and answers where it is. */
export async function bundleTarget(name) {
  mkdirSync(fuzzFolder, { recursive: true });
  const isPath = name.endsWith(".ts");
  const outfile = join(fuzzFolder, `${isPath ? "other" : name}-${process.pid}.cjs`);
  await build({
    entryPoints: [isPath ? name : join(targets, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    logLevel: "error",
    plugins: [instrumented],
  });
  return outfile;
}
