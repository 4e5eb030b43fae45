/**
 * What a flood of invented products leaves behind: memory, and the CPU of a recommendation, before and after it.
 *
 *   npm run bench -- invented-products [--events 20000] [--each 100] [--networks 1000] [--products 2000] [--calls 2000]
 *
 * A shop that learns its products from events, on a server with an embedded store: once before its first model, once with
 * a model, and then trained anew. Strangers post `/trace` from so many networks, by X-Forwarded-For; each event is of a
 * visitor of its own and names `each` products that nobody named before. Each figure is taken when the server has been idle
 * for five seconds: CPU is that of its process for a call, the least of five rounds, memory is its own after a collection.
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
import { CatalogService } from "../src/gen/aisle/v1/catalog_service_pb.js";
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
    calls: { type: "string", default: "2000" },
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
/** CPU of an idle server, ms a second: it looks for new products and events. */
const IDLE_CPU_MS = 60;
const MIB = 2 ** 20;

process.env.NODE_OPTIONS = `--import ${join(import.meta.dirname, "collect-on-signal.mjs")}`;

async function fill({ rpcUrl }: BenchServer): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: rpcUrl });
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

/** CPU of a recommendation, ms, and what the server holds, MiB. */
async function measure(server: BenchServer): Promise<Figures> {
  await idle(server);
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { cpuMs } = await processFigures(server.pid);
    for (let n = 0; n < calls; n++) {
      const body = bodyOf(asked++);
      const text = await answered(await fetch(`${server.facadeUrl}/recommend`, { method: "POST", body }));
      if (!text.includes('"productId"')) throw new Error(`nothing is recommended: ${text}`);
    }
    if (round > 0) rounds.push(((await processFigures(server.pid)).cpuMs - cpuMs) / calls);
  }
  await idle(server);
  process.kill(server.pid, "SIGUSR2");
  await idle(server);
  return { cpuMs: Math.min(...rounds), mib: (await processFigures(server.pid)).ownBytes / MIB };
}

interface Figures {
  readonly cpuMs: number;
  readonly mib: number;
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
  const directory = await mkdtemp(join(tmpdir(), "aisle-invented-"));
  const flags = ["--log-level", "error", "--learn-products", "on", "--trusted-proxies", "127.0.0.1/32"];
  const server = await startServer(directory, ...flags);
  const transport = createGrpcTransport({ baseUrl: server.rpcUrl, defaultTimeoutMs: 3_600_000 });
  try {
    await fill(server);
    if (hasModel) await trained(transport, APP);
    await measure(server); // so that all is compiled
    const before = await measure(server);
    const name = hasModel ? "with a model" : "without a model";
    row(`${name}, before`, before, before);
    await flood(server);
    row(`${name}, after the flood`, await measure(server), before);
    if (hasModel) {
      await trained(transport, APP);
      row("trained anew", await measure(server), before);
    }
    let catalogue = 0;
    const { listProducts } = createClient(CatalogService, transport);
    for (let pageToken = ""; ; ) {
      const page = await listProducts({ appId: APP, pageSize: 1000, pageToken });
      catalogue += page.products.length;
      pageToken = page.nextPageToken;
      if (pageToken === "") break;
    }
    console.log(`${name}: the catalogue has ${catalogue} products`);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const table = new Table({
  style: { head: [], border: [] },
  head: ["shop", "CPU ms a recommendation", "of before", "memory MiB", "more"],
  colAligns: ["left", "right", "right", "right", "right"],
});

function row(name: string, { cpuMs, mib }: Figures, before: Figures): void {
  const cells = [cpuMs.toFixed(2), (cpuMs / before.cpuMs).toFixed(2), mib.toFixed(0), (mib - before.mib).toFixed(0)];
  table.push([name, ...cells]);
  console.error([name, ...cells].join(", "));
}

console.log(JSON.stringify({ ...machine(), ...values }));
await shop(false);
await shop(true);
console.log(table.toString());
