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
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { keep, machine } from "./load.js";
import { LOAD_CPU, pinnedTo, SERVER_CPU } from "./open-loop/pinning.js";
import { cpuOf, inTurns, medianOf, rateOf, tableOf } from "./passes.js";
import { processFigures } from "./process-figures.js";
import type { CallPlan, CallReport, Protocol } from "./rpc/caller.js";
import { startPinnedServer, startProgram } from "./server.js";

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
  const { said, pid, stop } = await startProgram(SERVER_CPU, [file, kind]);
  return { address: `127.0.0.1:${said}`, pid, stop };
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
  const passes = await inTurns(asked, Number(values.passes), (one) => pass(one, seconds));
  const rows = asked.map(({ name, protocol }, at) => ({ name, protocol, ...medianOf(passes[at] ?? [], cpuOf) }));
  const reference = rows[0]?.cpuMicros ?? Number.NaN;
  console.log(
    tableOf(
      ["", "protocol", "CPU µs", "ratio", "a second", "p50 ms", "p99 ms", "failed"],
      rows.map(({ name, protocol, cpuMicros, perSecond, p50Ms, p99Ms, failed }) => [
        ...[name, protocol, cpuMicros.toFixed(1), (cpuMicros / reference).toFixed(2)],
        ...[rateOf(perSecond), p50Ms.toFixed(2), p99Ms.toFixed(2), failed],
      ]),
      2,
    ),
  );
  await keep(values.json, { callers, rows });
} finally {
  for (const { stop } of references) await stop();
  await aisle.stop();
  await rm(directory, { recursive: true, force: true });
}
