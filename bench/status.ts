/**
 * GET /subscription_status with many contacts, beside an empty answer of fastify.
 *
 *   npm run bench -- status [--contacts 1000000] [--seconds 5] [--passes 3] [--json FILE]
 *
 * Imports the contacts, each with a visitor, over RPC, then asks for visitors among them without cookies, so that each
 * answer is read from the store. Servers run on the second processor and the load on the first; passes of a closed loop
 * alternate, CPU is that of the server's process for each 200. Then, in passes of an open loop at half of what Aisle
 * answered, again of both in turns, the latency from the time each request was due; and that of fastify at half of its
 * own, which is what the machine makes late at that utilisation. `--json` writes all figures and those of the machine.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Table from "cli-table3";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { SubscriptionState } from "../src/gen/aisle/v1/subscription_pb.js";
import { SubscriptionService } from "../src/gen/aisle/v1/subscription_service_pb.js";
import { startEmptyServer } from "./empty-server.js";
import { machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import { processFigures } from "./process-figures.js";
import { startPinnedServer } from "./server.js";

const CONNECTIONS = 64;
const BATCH = 1000;
/** Visitors that are asked for, spread over all. */
const ASKED = 20_000;
const WARM_SECONDS = 6;
const OPEN_WARM_SECONDS = 3;

const { values } = parseArgs({
  options: {
    contacts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "5" },
    passes: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const contacts = Number(values.contacts);
const seconds = Number(values.seconds);

interface Asked {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

async function* listOfContacts() {
  for (let first = 0; first < contacts; first += BATCH) {
    const count = Math.min(BATCH, contacts - first);
    yield {
      appId: "shop",
      contacts: Array.from({ length: count }, (_, n) => ({
        email: `contact-${first + n}@shop.example`,
        emailState: n % 3 === 0 ? SubscriptionState.UNSUBSCRIBED : SubscriptionState.SUBSCRIBED,
        visitor: { fingerprintId: `visitor-${first + n}` },
      })),
    };
  }
}

const queries = Array.from({ length: Math.min(ASKED, contacts) }, (_, n) => {
  const visitor = Math.floor((((n * 0.618_033_988_749) % 1) + 1) * contacts) % contacts;
  return `app_id=shop&fpcid=visitor-${visitor}`;
});

/** One pass of a closed loop. */
async function pass({ url, pid }: Asked, forSeconds: number) {
  const before = await processFigures(pid);
  const report = await load({ url, bodies: [], queries, connections: CONNECTIONS, seconds: forSeconds }, LOAD_CPU);
  const after = await processFigures(pid);
  const ok = report.statuses["200"] ?? 0;
  const others = Object.values(report.statuses).reduce((sum, count) => sum + count, 0) - ok;
  const failed = others + report.lost + report.timeouts;
  return {
    cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, ok),
    okPerSecond: report.okPerSecond,
    failed,
  };
}

function medianOf(passes: readonly Awaited<ReturnType<typeof pass>>[]) {
  const sorted = [...passes].sort((a, b) => a.cpuMicros - b.cpuMicros);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) throw new Error("there was no pass");
  return median;
}

function latencyTable(name: string, reports: readonly Awaited<ReturnType<typeof load>>[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: [name, ...reports.map((_, n) => String(n + 1)), "median"],
    colAligns: ["left", ...reports.map(() => "right" as const), "right"],
  });
  const row = (title: string, times: readonly number[]) => {
    const median = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    table.push([title, ...[...times, median].map((ms) => ms.toFixed(2))]);
  };
  row(
    "p50",
    reports.map(({ ok }) => ok.p50),
  );
  row(
    "p99",
    reports.map(({ ok }) => ok.p99),
  );
  row(
    "p99.9",
    reports.map(({ ok }) => ok.p999),
  );
  row(
    "the load left late by, p99",
    reports.map(({ lateness }) => lateness.p99),
  );
  return table.toString();
}

console.log(JSON.stringify(machine()));
const directory = await mkdtemp(join(tmpdir(), "aisle-status-"));
const server = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, "--log-level", "warn");
const empty = await startEmptyServer();
try {
  const transport = createGrpcTransport({ baseUrl: server.rpcUrl });
  await createClient(AppService, transport).createApp({ app: { appId: "shop" } });
  const startedAt = performance.now();
  const { accepted } = await createClient(SubscriptionService, transport).importContacts(listOfContacts());
  const importSeconds = (performance.now() - startedAt) / 1000;
  console.log(`${accepted} contacts with their visitors imported in ${importSeconds.toFixed(0)} s`);

  const ours = { name: "GET /subscription_status", url: `${server.facadeUrl}/subscription_status`, pid: server.pid };
  const reached = { name: "fastify, empty JSON", url: `${empty.url}/subscription_status`, pid: empty.pid };
  const asked: readonly Asked[] = [reached, ours];
  for (const one of asked) await pass(one, WARM_SECONDS);
  const passes = asked.map((): Awaited<ReturnType<typeof pass>>[] => []);
  for (let n = 0; n < Number(values.passes); n++)
    for (const [at, one] of asked.entries()) passes[at]?.push(await pass(one, seconds));
  const [reference, measured] = passes.map(medianOf);
  if (reference === undefined || measured === undefined) throw new Error("there was no pass");

  const rate = measured.okPerSecond / 2;
  const plan = { bodies: [], queries, connections: 512, seconds, warmSeconds: OPEN_WARM_SECONDS };
  const timed = [
    ...asked.map((one) => ({ ...one, rate })),
    // What the machine itself makes late at such a utilisation.
    { ...reached, name: "the same, at half of its own", rate: reference.okPerSecond / 2 },
  ].map((one) => ({ ...one, reports: [] as Awaited<ReturnType<typeof load>>[] }));
  for (let n = 0; n < Number(values.passes); n++)
    for (const one of timed) one.reports.push(await load({ ...plan, url: one.url, rate: one.rate }, LOAD_CPU));

  const table = new Table({
    style: { head: [], border: [] },
    head: ["", "CPU µs", "ratio", "a second", "failed"],
    colAligns: ["left", "right", "right", "right", "right"],
  });
  for (const [name, row] of [[reached.name, reference] as const, [ours.name, measured] as const]) {
    const ratio = (row.cpuMicros / reference.cpuMicros).toFixed(2);
    table.push([name, row.cpuMicros.toFixed(1), ratio, Math.round(row.okPerSecond).toLocaleString("en"), row.failed]);
  }
  console.log(table.toString());
  console.log("open loop, ms, each pass:");
  for (const { name, rate: perSecond, reports } of timed)
    console.log(latencyTable(`${name}: ${Math.round(perSecond).toLocaleString("en")} a second`, reports));
  if (values.json !== undefined) {
    const figures = {
      machine: machine(),
      contacts,
      importSeconds,
      reference,
      measured,
      rate,
      open: timed.map(({ reports }) => reports),
    };
    await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
} finally {
  empty.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
