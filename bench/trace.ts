/**
 * Durable events over POST /trace: CPU beside a reference server, latency at half of what is possible.
 *
 *   npm run bench -- trace [--part reference,rate] [--seconds 3] [--connections 32,64] [--passes 5] [--json FILE]
 *
 *   reference   CPU of a durable POST /trace beside that of the server in shared/bench, see trace/beside-reference.ts
 *   rate        latency in an open loop at half of what a closed one reached, 20 s, see trace/half-rate.ts
 *
 * Ratios within a run say more than numbers: whatever else runs on the machine costs both sides. `--json` writes all
 * figures and those of the machine.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keep, machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { SERVER_CPU } from "./open-loop/pinning.js";
import { aisle, startPinnedServer } from "./server.js";
import { measureBeside, type ReferenceRow, referenceTable } from "./trace/beside-reference.js";
import { APP, FORMS } from "./trace/forms.js";
import { type HalfRate, measureAtRate, rateTable } from "./trace/half-rate.js";
import { referenceServer, startReference } from "./trace/reference-server.js";

const RATE_SECONDS = 20;

const { values } = parseArgs({
  options: {
    part: { type: "string", default: "reference,rate" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "32,64" },
    passes: { type: "string", default: "5" },
    json: { type: "string" },
  },
});
const parts = values.part.split(",");
const seconds = Number(values.seconds);

/** A server over a new store with one app. */
async function startAisle(directory: string) {
  const server = await startPinnedServer(SERVER_CPU, `embedded:${join(directory, "store")}`, "--log-level", "silent");
  await aisle(server, "app", "create", APP);
  return { ...server, name: "aisle", traceUrl: `${server.facadeUrl}/trace` };
}

async function besideReference(directory: string): Promise<ReferenceRow[]> {
  const file = referenceServer();
  if (file === undefined) {
    console.log("skipped: shared/bench is not beside the checkout (AISLE_SHARED_BENCH names another place)");
    return [];
  }
  const reference = await startReference(file, directory, SERVER_CPU);
  const own = await startAisle(directory);
  try {
    const plan = { connections: values.connections.split(",").map(Number), seconds, passes: Number(values.passes) };
    const rows = await measureBeside([reference, own], plan);
    console.log(referenceTable(rows));
    return rows;
  } finally {
    await Promise.all([reference.stop(), own.stop()]);
  }
}

async function halfRate(directory: string): Promise<HalfRate> {
  const own = await startAisle(join(directory, "rate"));
  try {
    const closed = { url: own.traceUrl, bodies: FORMS.shop ?? [], connections: 64 };
    await load({ ...closed, seconds: 5 }, 1);
    const { okPerSecond } = await load({ ...closed, seconds: 5 }, 1);
    const measured = await measureAtRate(own, okPerSecond / 2, RATE_SECONDS);
    console.log(rateTable(measured));
    return measured;
  } finally {
    await own.stop();
  }
}

console.log(JSON.stringify(machine()));
const directory = await mkdtemp(join(tmpdir(), "aisle-trace-"));
try {
  const figures = {
    seconds,
    reference: parts.includes("reference") ? await besideReference(directory) : [],
    rate: parts.includes("rate") ? await halfRate(directory) : undefined,
  };
  await keep(values.json, figures);
} finally {
  await rm(directory, { recursive: true, force: true });
}
