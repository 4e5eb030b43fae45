/**
 * Unary gRPC calls of a load generator with many connections, beside a server in Go that answers at once.
 *
 *   npm run bench -- grpc [--connections 50] [--seconds 4] [--passes 3] [--beside AISLE.js] [--ghz FILE]
 *
 * RecordEvent, GetStatus and Recommend of the demo shop, in a closed loop of one call a connection. `ghz` makes the calls
 * (`go install github.com/bojand/ghz/cmd/ghz@latest`); it names a deadline in each. The Go server (`bench/grpc`) has the same
 * messages and answers with the same bytes, as does a server of Node's HTTP/2 alone. `--beside` measures another build too, in turns. Servers run on the second processor and ghz on the
 * first. CPU is that of the server's process with all its threads for each call, of the pass with the median.
 */
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { parseArgs, promisify } from "node:util";
import Table from "cli-table3";
import { demoCalls, type MeasuredCall } from "./grpc/demo-calls.js";
import { machine } from "./load.js";
import { LOAD_CPU, pinnedTo, SERVER_CPU } from "./open-loop/pinning.js";
import { processFigures } from "./process-figures.js";
import { startBuild } from "./server.js";

const WARM_SECONDS = 4;
const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "50" },
    seconds: { type: "string", default: "4" },
    passes: { type: "string", default: "3" },
    beside: { type: "string" },
  },
});
const directory = await mkdtemp(join(tmpdir(), "aisle-grpc-"));
/** The contract for ghz, whose own compiler of protos is older than they are. */
const PROTOSET = join(directory, "contract.binpb");
const env = { ...process.env, PATH: [process.env.PATH, join(homedir(), "go/bin")].join(delimiter) };

interface Called {
  readonly name: string;
  /** `127.0.0.1:9090` */
  readonly address: string;
  readonly pid: number;
}

interface Pass {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** Builds the server in Go and starts it with these answers. */
async function startGo(directory: string, calls: readonly MeasuredCall[]) {
  await cp(join(root, "bench/grpc"), directory, { recursive: true });
  for (const { method, answer } of calls) await writeFile(join(directory, `${method.name}.bin`), answer);
  const template = join(root, "bench/grpc/buf.gen.yaml");
  await run("npx", ["buf", "generate", "--template", template, "-o", directory], { cwd: root });
  await run("go", ["build", "-o", "server", "."], { cwd: directory });
  const [command = "", ...args] = pinnedTo(SERVER_CPU, [join(directory, "server"), directory]);
  return started(spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] }));
}

/** Starts the server of Node's HTTP/2 alone, with the answers that the one in Go has. */
async function startBare(directory: string) {
  const bare = join(root, "bench/grpc/bare-server.mjs");
  const [command = "", ...args] = pinnedTo(SERVER_CPU, [process.execPath, bare, directory]);
  return started(spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] }));
}

/** A server, once it has said its port. */
async function started(child: ChildProcessByStdio<null, Readable, null>) {
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`a server ended with ${code}`)));
    child.stdout.once("data", (said: Buffer) => resolve(said.toString().trim()));
  });
  return { address: `127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill("SIGKILL") };
}

/** The part of ghz's report that is read. */
interface GhzReport {
  readonly count: number;
  readonly rps: number;
  readonly latencyDistribution: readonly { readonly percentage: number; readonly latency: number }[] | null;
  readonly statusCodeDistribution: Readonly<Record<string, number>>;
}

async function pass({ address, pid }: Called, { method, data }: MeasuredCall, seconds: number): Promise<Pass> {
  const flags = ["--insecure", "--protoset", PROTOSET, "--data-file", data, "--format", "json"];
  const loop = ["-c", values.connections, "--connections", values.connections, "-z", `${seconds}s`];
  const call = ["--call", `${method.parent.typeName}/${method.name}`, ...flags, ...loop, "--duration-stop", "wait"];
  const [command = "", ...args] = pinnedTo(LOAD_CPU, ["ghz", ...call, address]);
  const before = await processFigures(pid);
  const { stdout } = await run(command, args, { cwd: root, env, maxBuffer: 2 ** 30 });
  const { cpuMs } = await processFigures(pid);
  const report: GhzReport = JSON.parse(stdout);
  return {
    cpuMicros: ((cpuMs - before.cpuMs) * 1000) / Math.max(1, report.count),
    perSecond: report.rps,
    p99Ms: (report.latencyDistribution?.find(({ percentage }) => percentage === 99)?.latency ?? Number.NaN) / 1e6,
    failed: report.count - (report.statusCodeDistribution.OK ?? 0),
  };
}

/** A server with the demo shop. */
async function startAisle(name: string, directory: string, bin: string) {
  const flags = ["--log-level", "warn", "--demo"];
  const server = await startBuild(bin, SERVER_CPU, `embedded:${directory}`, ...flags);
  return { name, server, address: new URL(server.rpcUrl).host, pid: server.pid };
}

console.log(JSON.stringify(machine()));
const builds = [["Aisle", "bin/aisle.js"] as const, ...(values.beside ? [["beside", values.beside] as const] : [])];
const aisles = await Promise.all(
  builds.map(([name, bin]) => startAisle(name, join(directory, name), resolve(root, bin))),
);
const stops: (() => void)[] = [];
await run("npx", ["buf", "build", "proto", "-o", PROTOSET], { cwd: root });
try {
  const calls = await demoCalls(aisles[0]?.server.rpcUrl ?? "", directory);
  const go = await startGo(join(directory, "go"), calls);
  stops.push(go.stop);
  const bare = await startBare(join(directory, "go"));
  stops.push(bare.stop);
  const asked: readonly Called[] = [{ name: "Go", ...go }, { name: "node:http2", ...bare }, ...aisles];
  const passes = new Map<string, Pass[]>();
  for (const call of calls) {
    for (const one of asked) await pass(one, call, WARM_SECONDS);
    for (let n = 0; n < Number(values.passes); n++)
      for (const one of asked) {
        const key = `${call.method.name} ${one.name}`;
        passes.set(key, [...(passes.get(key) ?? []), await pass(one, call, Number(values.seconds))]);
      }
  }
  const table = new Table({
    style: { head: [], border: [] },
    head: ["", "", "CPU µs", "ratio", "a second", "p99 ms", "failed"],
    colAligns: ["left", "left", ...Array.from({ length: 5 }, () => "right" as const)],
  });
  for (const { method } of calls) {
    let reference: number | undefined;
    for (const { name } of asked) {
      const own = [...(passes.get(`${method.name} ${name}`) ?? [])].sort((a, b) => a.cpuMicros - b.cpuMicros);
      const row = own[Math.floor(own.length / 2)];
      if (row === undefined) continue;
      reference ??= row.cpuMicros;
      const cpu = [row.cpuMicros.toFixed(1), (row.cpuMicros / reference).toFixed(2)];
      table.push([method.name, name, ...cpu, Math.round(row.perSecond), row.p99Ms.toFixed(2), row.failed]);
    }
  }
  console.log(table.toString());
} finally {
  for (const stop of stops) stop();
  for (const { server } of aisles) await server.stop();
  await rm(directory, { recursive: true, force: true });
}
