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
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { SubscriptionState } from "../src/gen/aisle/v1/subscription_pb.js";
import { SubscriptionService } from "../src/gen/aisle/v1/subscription_service_pb.js";
import { startEmptyServer } from "./empty-server.js";
import { keep, machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import { cpuOf, inTurns, medianOf, passOf, quantile, rateOf, tableOf } from "./passes.js";
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
const pass = ({ url, pid }: Asked, forSeconds: number) =>
  passOf(pid, { url, bodies: [], queries, connections: CONNECTIONS, seconds: forSeconds });

function latencyTable(name: string, reports: readonly Awaited<ReturnType<typeof load>>[]): string {
  const row = (title: string, times: readonly number[]) => [
    title,
    ...[...times, quantile(times, 0.5)].map((ms) => ms.toFixed(2)),
  ];
  const rows = (["p50", "p99", "p999"] as const).map((share) =>
    row(
      share,
      reports.map(({ ok }) => ok[share]),
    ),
  );
  const late = row(
    "the load left late by, p99",
    reports.map(({ lateness }) => lateness.p99),
  );
  return tableOf([name, ...reports.map((_, n) => String(n + 1)), "median"], [...rows, late]);
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
  const passes = await inTurns(asked, Number(values.passes), (one) => pass(one, seconds));
  const [reference, measured] = passes.map((all) => medianOf(all, cpuOf));
  if (reference === undefined || measured === undefined) throw new Error("nothing was asked");

  const rate = measured.perSecond / 2;
  const plan = { bodies: [], queries, connections: 512, seconds, warmSeconds: OPEN_WARM_SECONDS };
  const timed = [
    ...asked.map((one) => ({ ...one, rate })),
    // What the machine itself makes late at such a utilisation.
    { ...reached, name: "the same, at half of its own", rate: reference.perSecond / 2 },
  ];
  const reports = await inTurns(timed, Number(values.passes), ({ url, rate }) =>
    load({ ...plan, url, rate }, LOAD_CPU),
  );

  const rows = [[reached.name, reference] as const, [ours.name, measured] as const].map(([name, row]) => {
    const ratio = (row.cpuMicros / reference.cpuMicros).toFixed(2);
    return [name, row.cpuMicros.toFixed(1), ratio, rateOf(row.perSecond), row.failed];
  });
  console.log(tableOf(["", "CPU µs", "ratio", "a second", "failed"], rows));
  console.log("open loop, ms, each pass:");
  for (const [at, { name, rate: perSecond }] of timed.entries())
    console.log(latencyTable(`${name}: ${rateOf(perSecond)} a second`, reports[at] ?? []));
  await keep(values.json, { contacts, importSeconds, reference, measured, rate, open: reports });
} finally {
  await empty.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
