/**
 * From `git clone` to a server with its trained demo shop, stage by stage.
 *
 *   npm run bench -- clone [--other DIR] [--passes 1] [--cache FOLDER] [--json FILE]
 *
 * Each pass clones the last commit of this checkout into a temporary folder, and in turns that of another one. It runs
 * `npm start` there until the server is ready, with an empty cache of npm, an empty store and free ports. `--cache` keeps
 * the cache of npm in a folder instead. A stage begins with the line that says so. Older checkouts do not say when
 * training begins: there `making` and `training` are one. CPU is that of all processes. Figures are those of the pass
 * with the median time.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { childrenOf } from "../test/fixtures/child-processes.js";
import { machine } from "./load.js";
import { medianOf } from "./median.js";

const MIB = 2 ** 20;
const TICKS_A_SECOND = 100;

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    passes: { type: "string", default: "1" },
    cache: { type: "string" },
    json: { type: "string" },
  },
});

/** What begins a stage: a line on either output. The last one ends the last stage. */
const STAGES = [
  ["installing packages", /^aisle: installing /m],
  ["building dist/", /^aisle: building /m],
  ["making the demo shop", /^aisle: making the demo shop/m],
  ["training it", /^aisle: training it/m],
  ["ready", /^aisle is ready: /m],
] as const;

interface Stage {
  readonly name: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Pass {
  readonly stages: readonly Stage[];
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly packages: number;
  readonly files: number;
  readonly mib: number;
  readonly load: number;
}

/** CPU of a process and all that it started, ended ones included, in seconds, by Linux's counts. */
async function cpuOfTree(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // Behind the name: the 12th to 15th field are user and system time, of its own and of children that have ended.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_A_SECOND;
  const children = await Promise.all(childrenOf(pid).map(cpuOfTree));
  return children.reduce((sum, cpu) => sum + cpu, own);
}

async function pass(checkout: string): Promise<Pass> {
  const folder = await mkdtemp(join(tmpdir(), "aisle-clone-"));
  try {
    const load = loadavg()[0] ?? 0;
    const startedAt = performance.now();
    const clone = join(folder, "aisle");
    execFileSync("git", ["-c", "advice.detachedHead=false", "clone", "--quiet", "--no-hardlinks", checkout, clone], {
      stdio: "inherit",
    });
    const clonedAt = performance.now();
    const started = await untilReady(clone, folder);
    const seconds = (performance.now() - startedAt) / 1000;
    const cloned = { name: "git clone", seconds: (clonedAt - startedAt) / 1000, cpuSeconds: Number.NaN };
    const packages = JSON.parse(await readFile(join(clone, "node_modules/.package-lock.json"), "utf8")).packages;
    return {
      stages: [cloned, ...started],
      seconds,
      cpuSeconds: started.reduce((sum, stage) => sum + stage.cpuSeconds, 0),
      packages: Object.keys(packages).length,
      ...(await sizeOf(join(clone, "node_modules"))),
      load,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `npm start` in a clone until it says that it is ready, then stops it. */
async function untilReady(clone: string, folder: string): Promise<Stage[]> {
  const ports = ["--facade-port", "0", "--rpc-port", "0", "--store", `embedded:${join(folder, "data")}`];
  const env = { ...process.env, npm_config_cache: values.cache ?? join(folder, "npm") };
  let at = performance.now();
  let cpu = 0;
  const child = spawn("npm", ["start", "--", ...ports], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const stages: Stage[] = [];
  let name = "npm start, until packages are installed";
  let said = "";
  let due = Promise.resolve();
  const end = async (next: string) => {
    const now = performance.now();
    const used = await cpuOfTree(child.pid ?? 0);
    stages.push({ name, seconds: (now - at) / 1000, cpuSeconds: used - cpu });
    [at, cpu, name] = [now, used, next];
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`npm start ended with ${code}\n${said}`)));
      const hear = (chunk: Buffer) => {
        said += chunk.toString();
        for (const [next, line] of STAGES) {
          if (!line.test(said)) continue;
          said = said.replace(line, "");
          due = due.then(() => end(next));
          if (next === "ready") due.then(resolve, reject);
        }
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
    });
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
  return stages;
}

async function sizeOf(folder: string): Promise<{ readonly files: number; readonly mib: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) bytes += (await stat(join(parentPath, name))).size;
  return { files: files.length, mib: bytes / MIB };
}

const root = join(import.meta.dirname, "..");
const checkouts = [
  ...(values.other === undefined ? [] : [{ name: "other", folder: values.other }]),
  { name: "this", folder: root },
];
const passes = new Map(checkouts.map(({ name }) => [name, [] as Pass[]]));
console.log(JSON.stringify(machine()));
for (let n = 0; n < Number(values.passes); n++)
  for (const { name, folder } of checkouts) {
    const one = await pass(folder);
    console.log(`pass ${n + 1}, ${name}: ${one.seconds.toFixed(1)} s, load average ${one.load.toFixed(1)}`);
    passes.get(name)?.push(one);
  }
const medians = checkouts.map(({ name }) => ({ name, ...medianOf(passes.get(name) ?? [], ({ seconds }) => seconds) }));
const table = new Table({
  style: { head: [], border: [] },
  head: ["stage", ...medians.flatMap(({ name }) => [`${name}: s`, "CPU s"])],
  colAligns: ["left", ...medians.flatMap(() => ["right", "right"] as const)],
});
const number = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? "" : value.toFixed(1));
const names = [...new Set(medians.toReversed().flatMap(({ stages }) => stages.map(({ name }) => name)))];
for (const name of names) {
  const found = medians.map(({ stages }) => stages.find((stage) => stage.name === name));
  table.push([name, ...found.flatMap((stage) => [number(stage?.seconds), number(stage?.cpuSeconds)])]);
}
table.push(["all of it", ...medians.flatMap(({ seconds, cpuSeconds }) => [number(seconds), number(cpuSeconds)])]);
table.push([
  "node_modules: packages, files; MiB",
  ...medians.flatMap(({ packages, files, mib }) => [`${packages}, ${files}`, mib.toFixed(0)]),
]);
console.log(table.toString());
if (values.json !== undefined)
  await writeFile(
    values.json,
    `${JSON.stringify({ machine: machine(), passes: Object.fromEntries(passes) }, null, 2)}\n`,
  );
