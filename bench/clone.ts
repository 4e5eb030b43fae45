/**
 * From `git clone` to a server with its trained demo shop, stage by stage.
 *
 *   npm run bench -- clone [--checkout DIR] [--cache FOLDER] [--json FILE]
 *
 * Clones the last commit of this checkout, or of another one, into a temporary folder. It runs `npm start` there until the
 * server is ready, with an empty cache of npm, an empty store and free ports. `--cache` keeps the cache of npm in a folder
 * instead. A stage begins with the line that says so. CPU is that of all processes.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { childrenOf } from "../test/fixtures/child-processes.js";
import { keep, machine } from "./load.js";
import { tableOf } from "./passes.js";

const TICKS_A_SECOND = 100;

const { values } = parseArgs({
  options: {
    checkout: { type: "string", default: join(import.meta.dirname, "..") },
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

/** CPU of a process and all that it started, ended ones included, in seconds, by Linux's counts. */
async function cpuOfTree(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // Behind the name: the 12th to 15th field are user and system time, of its own and of children that have ended.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_A_SECOND;
  const children = await Promise.all(childrenOf(pid).map(cpuOfTree));
  return children.reduce((sum, cpu) => sum + cpu, own);
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

console.log(JSON.stringify({ ...machine(), load: loadavg()[0] }));
const folder = await mkdtemp(join(tmpdir(), "aisle-clone-"));
try {
  const startedAt = performance.now();
  const clone = join(folder, "aisle");
  const args = ["-c", "advice.detachedHead=false", "clone", "--quiet", "--no-hardlinks", values.checkout, clone];
  execFileSync("git", args, { stdio: "inherit" });
  const cloned = { name: "git clone", seconds: (performance.now() - startedAt) / 1000, cpuSeconds: Number.NaN };
  const started = await untilReady(clone, folder);
  const sum = (of: (stage: Stage) => number) => started.reduce((all, stage) => all + of(stage), 0);
  const all = {
    name: "all of it",
    seconds: cloned.seconds + sum(({ seconds }) => seconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
  };
  const stages = [cloned, ...started, all];
  const number = (value: number) => (Number.isNaN(value) ? "" : value.toFixed(1));
  const rows = stages.map(({ name, seconds, cpuSeconds }) => [name, number(seconds), number(cpuSeconds)]);
  console.log(tableOf(["stage", "s", "CPU s"], rows));
  await keep(values.json, { stages });
} finally {
  await rm(folder, { recursive: true, force: true });
}
