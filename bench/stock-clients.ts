/**
 * What stock clients in Go and Python see of streams: the status of a refused client stream, and a watch through a burst of events.
 *
 *   npm run bench -- stock-clients [--calls 20] [--burst 20000] [--bin BUILD/bin/aisle.js] [--python PATH]
 *
 * `refused` calls RecordEvents of an app that does not exist with messages of 64 KiB; half of the calls send one, half send on until
 * they see the end. `watch` follows an app that gets 300 events a second and then a bulk call of `--burst` events. The clients are
 * grpc-go and grpcio with their defaults, on bytes; grpcio is installed in a folder of its own unless `--python` has it.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import {
  EventService,
  RecordEventsRequestSchema,
  WatchEventsRequestSchema,
} from "../src/gen/aisle/v1/event_service_pb.js";
import { BIN, startBuild } from "./server.js";

const FIRST_EVENTS = 600;
const BATCH = 500;
const MESSAGE_BYTES = 64 * 1024;

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "20" },
    burst: { type: "string", default: "20000" },
    bin: { type: "string", default: BIN },
    python: { type: "string" },
  },
});
const run = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), "aisle-stock-"));
const server = await startBuild(values.bin, undefined, `embedded:${join(directory, "store")}`, "--log-level", "silent");
const address = new URL(server.rpcUrl).host;
const transport = createGrpcTransport({ baseUrl: server.rpcUrl });
const { recordEvent, recordEvents } = createClient(EventService, transport);
const burst = Number(values.burst);

try {
  const refusedFile = join(directory, "refused.bin");
  const large = { actionType: "search_query", searchQuery: "q", extraFields: { text: "t".repeat(1000) } };
  const refused = create(RecordEventsRequestSchema, {
    appId: "nobody",
    events: Array.from({ length: MESSAGE_BYTES / 1000 }, () => large),
  });
  await writeFile(refusedFile, toBinary(RecordEventsRequestSchema, refused));
  for (const [name, command] of Object.entries(await clients())) {
    const [file = "", ...args] = command;
    const ask = [...args, "refused", address, pathOf(EventService.method.recordEvents), refusedFile, values.calls];
    const { stdout } = await run(file, ask);
    const lines = stdout.trim().split("\n");
    for (const how of ["once", "on"]) {
      const own = lines.filter((line) => line.startsWith(`${how} `));
      const told = own.filter((line) => /not_?found/i.test(line)).length;
      const sends = how === "on" ? "sends on" : "sends once";
      console.log(`${name}, refused, ${sends}: ${told} of ${own.length} see NOT_FOUND ${[...new Set(own)].join(", ")}`);
    }
    await watch(name, command);
  }
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

async function watch(name: string, [file = "", ...args]: readonly string[]): Promise<void> {
  const appId = `watched-${name.toLowerCase()}`;
  await createClient(AppService, transport).createApp({ app: { appId } });
  const watchFile = join(directory, "watch.bin");
  await writeFile(watchFile, toBinary(WatchEventsRequestSchema, create(WatchEventsRequestSchema, { appId })));
  const field = WatchEventsRequestSchema.field.resumeToken.number;
  const method = pathOf(EventService.method.watchEvents);
  const all = String(FIRST_EVENTS + burst + 1);
  const child = spawn(file, [...args, "watch", address, method, watchFile, all, String(field)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lastLine = await begun(child);
  const event = { actionType: "product_view", products: [{ productId: "p1", title: "Hiking boots" }] };
  const begunAt = performance.now();
  for (let n = 0; n < FIRST_EVENTS; n++) {
    await recordEvent({ appId, event });
    const aheadMs = (n * 1000) / 300 - (performance.now() - begunAt);
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  const batches = async function* () {
    for (let n = 0; n < burst; n += BATCH) yield { appId, events: Array.from({ length: BATCH }, () => event) };
  };
  await recordEvents(batches());
  await recordEvent({ appId, event });
  console.log(`${name}, watch of ${all} events: ${await lastLine()}`);
}

/** Resolves when the program has said `ready`, with what gives its last line. */
function begun(child: ChildProcess): Promise<() => Promise<string>> {
  let said = "";
  const ended = new Promise<string>((resolve) =>
    child.once("close", () => resolve(said.trim().split("\n").at(-1) ?? "")),
  );
  return new Promise((resolve) =>
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("ready")) resolve(() => ended);
    }),
  );
}

/** The commands of the clients, which are built or installed first. */
async function clients(): Promise<Readonly<Record<string, readonly string[]>>> {
  const go = join(directory, "go");
  await cp(join(import.meta.dirname, "stock-clients"), go, { recursive: true });
  await run("go", ["build", "-mod=mod", "-o", "stock", "."], { cwd: go });
  let { python } = values;
  if (python === undefined) {
    const venv = join(directory, "venv");
    await run("python3", ["-m", "venv", venv]);
    python = join(venv, "bin/python");
    await run(python, ["-m", "pip", "install", "--quiet", "grpcio"]);
  }
  return { Go: [join(go, "stock")], Python: [python, join(go, "stock.py")] };
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}
