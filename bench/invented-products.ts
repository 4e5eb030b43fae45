/**
 * What a flood of invented products costs: two servers with the same shop, one of them flooded, asked in turns.
 *
 *   npm run bench -- invented-products [--events 20000] [--each 100] [--networks 1000] [--products 2000] [--calls 1000]
 *
 * The shop learns its products from events, on an embedded store: before its first model, with a model, and trained anew.
 * Strangers post `/trace` from so many networks, by X-Forwarded-For; each event is of a visitor of its own and names `each`
 * products that nobody named before. CPU is that of a server's process for a recommendation, the least of five rounds.
 * Memory is what JavaScript holds after a collection. Both are taken when the servers have been idle for five seconds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Table from "cli-table3";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../src/gen/aisle/v1/event_service_pb.js";
import { machine } from "./load.js";
import { processFigures } from "./process-figures.js";
import { type BenchServer, startServer } from "./server.js";
import { createShopEvents } from "./shop-events.js";
import { trained } from "./trained.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "20000" },
    each: { type: "string", default: "100" },
    networks: { type: "string", default: "1000" },
    products: { type: "string", default: "2000" },
    calls: { type: "string", default: "1000" },
  },
});
const [events, each, networks] = [Number(values.events), Number(values.each), Number(values.networks)];
const [products, calls] = [Number(values.products), Number(values.calls)];
const APP = "shop";
const VISITORS = 2000;
const OWN_EVENTS = 20_000;
const BATCH = 500;
const ROUNDS = 5;
const SENDERS = 16;
const IDLE_SECONDS = 5;
/** CPU of an idle server, ms a second at most: it looks for new products and events. */
const IDLE_CPU_MS = 60;
const MIB = 2 ** 20;

process.env.NODE_OPTIONS = `--import ${join(import.meta.dirname, "collect-on-signal.mjs")}`;

const transportTo = (baseUrl: string) => createGrpcTransport({ baseUrl, defaultTimeoutMs: 3_600_000 });

async function fill({ rpcUrl }: BenchServer): Promise<void> {
  const transport = transportTo(rpcUrl);
  await createClient(AppService, transport).createApp({ app: { appId: APP } });
  const eventOf = createShopEvents({ visitors: VISITORS, products, events: OWN_EVENTS });
  await createClient(EventService, transport).recordEvents(
    (async function* () {
      for (let from = 0; from < OWN_EVENTS; from += BATCH)
        yield { appId: APP, events: Array.from({ length: BATCH }, (_, n) => eventOf(from + n)) };
    })(),
  );
}

/** Of a visitor that the server does not know, who looks at a product; every other one at none. */
function bodyOf(n: number): string {
  const product = (step: number) => String(10_000 + ((n * 31 + step * 7) % products));
  return JSON.stringify({
    appId: APP,
    productInteractions: [1, 2, 3].map((step) => ({
      productInteractionType: "product_view",
      productId: product(step),
      utcInteractionDate: new Date(Date.UTC(2026, 0, 15) + step * 60_000).toISOString(),
    })),
    ...(n % 2 === 0 && { currentProductIds: product(4) }),
    cId: `asks-${n}`,
  });
}

async function answered(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return text;
}

let asked = 0;

interface Figures {
  readonly cpuMs: number;
  readonly mib: number;
}

/** CPU of a recommendation and memory of each server. */
async function measure(servers: readonly BenchServer[]): Promise<Figures[]> {
  for (const server of servers) await idle(server);
  const least = servers.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= ROUNDS; round++) {
    const bodies = Array.from({ length: calls }, () => bodyOf(asked++));
    for (const [at, server] of servers.entries()) {
      const { cpuMs } = await processFigures(server.pid);
      for (const body of bodies) {
        const text = await answered(await fetch(`${server.facadeUrl}/recommend`, { method: "POST", body }));
        if (!text.includes('"productId"')) throw new Error(`nothing is recommended: ${text}`);
      }
      const used = ((await processFigures(server.pid)).cpuMs - cpuMs) / calls;
      if (round > 0) least[at] = Math.min(least[at]!, used); // code is compiled in the first one
    }
  }
  const figures: Figures[] = [];
  for (const [at, server] of servers.entries()) {
    process.kill(server.pid, "SIGUSR2");
    await idle(server);
    figures.push({ cpuMs: least[at]!, mib: await heldMib(server) });
  }
  return figures;
}

/** What JavaScript holds; memory of the process has room beside it that V8 gives back late. */
async function heldMib({ rpcUrl }: BenchServer): Promise<number> {
  const text = await answered(await fetch(`${rpcUrl}/metrics`));
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  return (figure("nodejs_heap_size_used_bytes") + figure("nodejs_external_memory_bytes")) / MIB;
}

async function idle({ pid }: BenchServer): Promise<void> {
  for (let quiet = 0; quiet < IDLE_SECONDS; ) {
    const { cpuMs } = await processFigures(pid);
    await pause(1000);
    quiet = (await processFigures(pid)).cpuMs - cpuMs <= IDLE_CPU_MS ? quiet + 1 : 0;
  }
}

async function flood({ facadeUrl }: BenchServer): Promise<void> {
  let next = 0;
  const send = async () => {
    while (next < events) {
      const n = next++;
      const ids = Array.from({ length: each }, (_, i) => `invented-${n}-${i}`).join("|");
      const form = {
        app_id: APP,
        action_type: "product_view",
        product_ids: ids,
        product_titles: ids,
        fp_ccid: `f${n}`,
      };
      const network = n % networks;
      const headers = { "X-Forwarded-For": `20.${network >> 8}.${network & 255}.7` };
      await answered(await fetch(`${facadeUrl}/trace`, { method: "POST", headers, body: new URLSearchParams(form) }));
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

async function shop(hasModel: boolean): Promise<void> {
  const name = hasModel ? "with a model" : "without a model";
  const root = await mkdtemp(join(tmpdir(), "aisle-invented-"));
  const flags = ["--log-level", "silent", "--learn-products", "on", "--trusted-proxies", "127.0.0.1/32"];
  const servers: BenchServer[] = [];
  const train = () => Promise.all(servers.map(({ rpcUrl }) => trained(transportTo(rpcUrl), APP)));
  try {
    for (const which of ["calm", "flooded"]) {
      const server = await startServer(join(root, which), ...flags);
      servers.push(server);
      await fill(server);
    }
    if (hasModel) await train();
    await row(`${name}, before`, servers);
    await flood(servers[1]!);
    await row(`${name}, one flooded`, servers);
    if (hasModel) {
      await train();
      await row("both trained anew", servers);
    }
  } finally {
    for (const server of servers) await server.stop();
    await rm(root, { recursive: true, force: true });
  }
}

const table = new Table({
  style: { head: [], border: [] },
  head: ["shop", "CPU ms, calm", "flooded", "ratio", "MiB, calm", "flooded"],
  colAligns: ["left", "right", "right", "right", "right", "right"],
});

async function row(name: string, servers: readonly BenchServer[]): Promise<void> {
  const [calm, flooded] = await measure(servers);
  const cpu = [calm!.cpuMs, flooded!.cpuMs, flooded!.cpuMs / calm!.cpuMs].map((figure) => figure.toFixed(2));
  const cells = [name, ...cpu, calm!.mib.toFixed(0), flooded!.mib.toFixed(0)];
  table.push(cells);
  console.error(cells.join(", "));
}

console.log(JSON.stringify({ ...machine(), ...values }));
await shop(false);
await shop(true);
console.log(table.toString());
