/**
 * A unary call over gRPC, gRPC-Web and Connect beside what the libraries themselves need for the same messages.
 *
 *   npm run bench -- rpc [--callers 32] [--seconds 4] [--passes 3] [--json FILE]
 *
 * SubscriptionService.GetStatus of a visitor nobody knows, in a closed loop: Aisle, and servers of grpc-js and connect-node
 * that answer at once. Servers run on the second processor and the callers on the first, passes alternate, CPU is that of
 * the server's process with all its threads for each call, of the pass with the median.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Table from "cli-table3";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { machine } from "./load.js";
import { LOAD_CPU, pinnedTo, SERVER_CPU } from "./open-loop/pinning.js";
import { processFigures } from "./process-figures.js";
import type { CallPlan, CallReport, Protocol } from "./rpc/caller.js";
import { startPinnedServer } from "./server.js";

/** V8 compiles what is called often by and by. */
const WARM_SECONDS = 8;

const { values } = parseArgs({
  options: {
    callers: { type: "string", default: "32" },
    seconds: { type: "string", default: "4" },
    passes: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const callers = Number(values.callers);
const seconds = Number(values.seconds);

interface Called {
  readonly name: string;
  readonly protocol: Protocol;
  readonly address: string;
  readonly pid: number;
}

interface Pass extends CallReport {
  readonly cpuMicros: number;
  readonly perSecond: number;
}

async function startReference(kind: "grpc-js" | "connect-node") {
  const file = join(import.meta.dirname, "rpc/reference-server.ts");
  const [command = process.execPath, ...args] = pinnedTo(SERVER_CPU, [process.execPath, "--import", "tsx", file, kind]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server of ${kind} ended with ${code}`)));
    child.stdout.once("data", (said: Buffer) => resolve(said.toString().trim()));
  });
  return { address: `127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill("SIGKILL") };
}

function callsOf(plan: CallPlan): Promise<CallReport> {
  const file = join(import.meta.dirname, "rpc/caller.ts");
  const [command = process.execPath, ...args] = pinnedTo(LOAD_CPU, [process.execPath, "--import", "tsx", file]);
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`the callers ended with ${signal ?? code}`)));
    child.once("message", (report: CallReport) => resolve(report));
    child.send(plan);
  });
}

async function pass({ protocol, address, pid }: Called, forSeconds: number): Promise<Pass> {
  const before = await processFigures(pid);
  const report = await callsOf({ protocol, address, callers, seconds: forSeconds });
  const { cpuMs } = await processFigures(pid);
  const cpuMicros = ((cpuMs - before.cpuMs) * 1000) / Math.max(1, report.calls);
  return { ...report, cpuMicros, perSecond: report.calls / forSeconds };
}

console.log(JSON.stringify(machine()));
const directory = await mkdtemp(join(tmpdir(), "aisle-rpc-"));
const aisle = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, "--log-level", "warn");
const references = [await startReference("grpc-js"), await startReference("connect-node")] as const;
try {
  await createClient(AppService, createGrpcTransport({ baseUrl: aisle.rpcUrl })).createApp({ app: { appId: "shop" } });
  const own = { address: new URL(aisle.rpcUrl).host, pid: aisle.pid };
  const asked: readonly Called[] = [
    { name: "grpc-js alone", protocol: "gRPC", ...references[0] },
    { name: "connect-node alone", protocol: "gRPC", ...references[1] },
    ...(["gRPC", "gRPC-Web", "Connect", "Connect, JSON"] as const).map((protocol) => ({
      name: "Aisle",
      protocol,
      ...own,
    })),
  ];
  for (const one of asked) await pass(one, WARM_SECONDS);
  const passes = asked.map((): Pass[] => []);
  for (let n = 0; n < Number(values.passes); n++)
    for (const [at, one] of asked.entries()) passes[at]?.push(await pass(one, seconds));

  const rows = passes.map((own) => [...own].sort((a, b) => a.cpuMicros - b.cpuMicros)[Math.floor(own.length / 2)]);
  const reference = rows[0]?.cpuMicros ?? Number.NaN;
  const table = new Table({
    style: { head: [], border: [] },
    head: ["", "protocol", "CPU µs", "ratio", "a second", "p50 ms", "p99 ms", "failed"],
    colAligns: ["left", "left", ...Array.from({ length: 6 }, () => "right" as const)],
  });
  for (const [at, { name, protocol }] of asked.entries()) {
    const row = rows[at];
    if (row === undefined) continue;
    const cpu = [row.cpuMicros.toFixed(1), (row.cpuMicros / reference).toFixed(2)];
    const rate = Math.round(row.perSecond).toLocaleString("en");
    table.push([name, protocol, ...cpu, rate, row.p50Ms.toFixed(2), row.p99Ms.toFixed(2), row.failed]);
  }
  console.log(table.toString());
  if (values.json !== undefined) {
    const named = asked.map(({ name, protocol }, at) => ({ name, protocol, ...rows[at] }));
    await writeFile(values.json, `${JSON.stringify({ machine: machine(), callers, rows: named }, null, 2)}\n`);
  }
} finally {
  for (const { stop } of references) stop();
  await aisle.stop();
  await rm(directory, { recursive: true, force: true });
}
