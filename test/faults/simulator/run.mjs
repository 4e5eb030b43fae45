// Bundles the simulator with the core as it is, or with the fault of a mutant planted in it (--mutant NAME), and runs it; see
// simulate.ts for the other options.
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { MUTANTS } from "../../../checker/mutants/mutants.mjs";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, "node_modules/.cache/simulator"); // packages are found from here
const at = process.argv.indexOf("--mutant");
const [, name] = at < 0 ? [] : process.argv.splice(at, 2);
const mutant = MUTANTS.find((one) => one.name === name);
if (name !== undefined && mutant === undefined) throw new Error(`There is no mutant "${name}"`);

const planting = {
  name: "planting",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:fs\/promises$/ }, ({ importer }) =>
      importer.includes("/src/store/") ? { path: join(import.meta.dirname, "files.ts") } : undefined,
    );
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      if (relative(root, path) !== mutant?.file) return undefined;
      const text = readFileSync(path, "utf8");
      if (text.split(mutant.search).length !== 2) throw new Error(`${mutant.file} has not once what is to be replaced`);
      return { contents: text.replace(mutant.search, () => mutant.replace), loader: "ts" };
    });
  },
};

mkdirSync(folder, { recursive: true });
const outfile = join(folder, `simulate-${process.pid}.mjs`);
await build({
  entryPoints: [join(import.meta.dirname, "simulate.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  outfile,
  plugins: [planting],
  logLevel: "warning",
});
process.once("exit", () => rmSync(outfile, { force: true }));
await import(pathToFileURL(outfile).href);
