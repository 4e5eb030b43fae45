/**
 * Measures everything that has an aim, keeps the results by commit, and writes the page that shows them.
 *
 *   npm run bench -- all [--only stranger,rpc] [--quick] [--python PATH] [--results bench/results] [--page docs/performance.html]
 *
 * Runs one benchmark after the other, each with `--json` into a file of the results' folder, and then `history`. The whole
 * takes hours; `--quick` has fewer events and passes, good for ratios. A benchmark that fails is named at the end, and the
 * others are kept. `hnsw` needs an interpreter with hnswlib (`--python`) and is left out without one.
 */
import { spawn, spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    python: { type: "string" },
    results: { type: "string", default: relative(process.cwd(), join(ROOT, "bench/results")) },
    page: { type: "string", default: relative(process.cwd(), join(ROOT, "docs/performance.html")) },
  },
});

interface Run {
  readonly args: readonly string[];
  /** In place of `args` with `--quick`. */
  readonly quick: readonly string[];
}

const words = (text: string) => text.split(" ").filter((word) => word !== "");

const RUNS: Readonly<Record<string, Run>> = {
  stranger: { args: [], quick: words("--connections 64 --seconds 2 --passes 3") },
  trace: {
    args: words("--part reference,rate"),
    quick: words("--part reference,rate --connections 64 --seconds 2 --passes 3"),
  },
  status: { args: [], quick: words("--contacts 100000") },
  recommend: { args: [], quick: words("--products 5000 --events 50000 --seconds 2 --passes 3") },
  rpc: { args: [], quick: words("--seconds 2 --passes 3") },
  import: { args: [], quick: words("--events 200000") },
  memory: { args: [], quick: words("--shops 100 --requests 300 --memory-mib 32") },
  pauses: { args: [], quick: words("--products 5000 --events 50000 --swaps 5") },
  ...(values.python !== undefined && {
    hnsw: {
      args: ["--python", values.python],
      quick: ["--python", values.python, ...words("--sizes 50000 --passes 1")],
    },
  }),
};

function run(name: string, args: readonly string[]): Promise<boolean> {
  const file = join(import.meta.dirname, `${name}.ts`);
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code === 0));
  });
}

const chosen = values.only?.split(",") ?? Object.keys(RUNS);
const unknown = chosen.filter((name) => RUNS[name] === undefined);
if (unknown.length > 0) throw new Error(`--only takes ${Object.keys(RUNS).join(", ")}: not ${unknown.join(", ")}`);
const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).stdout.trim();
const day = new Date().toISOString().slice(0, 10);
const failed: string[] = [];
for (const name of chosen) {
  const { args = [], quick = [] } = RUNS[name] ?? {};
  console.log(`\n${name}`);
  const kept = join(values.results, `${day}-${commit}-${name}.json`);
  if (!(await run(name, [...(values.quick ? quick : args), "--json", kept]))) failed.push(name);
}
if (!(await run("history", ["--results", values.results, "--page", values.page]))) failed.push("history");
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
