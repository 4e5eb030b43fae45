/**
 * Start to ready, and to the first recommendation, as the store grows.
 *
 *   npm run bench -- start [--products 10000,50000,200000] [--events 100000] [--no-model] [--passes 3] [--later 10]
 *                          [--stores FOLDER] [--json FILE]
 *
 * For each size a made-up shop (train/shop.ts) is imported over RPC into an embedded store and trained once, which takes
 * minutes for the largest; with `--no-model` it is not trained. Then in passes: `aisle serve` is started and asked at
 * once, one request after the other, for a status and for the products of a product page; it takes some events and is
 * killed by SIGKILL, started and asked again; and started once more and asked `--later` seconds after it was ready, as a
 * visitor comes who nobody sent. Times are from the spawn of the process, latencies are those of one request. In turns
 * with these a bare server of fastify is started (start/bare-server.mjs), which the ratio is to. Figures are those of
 * the pass with the median time. `--stores` keeps the filled stores in a folder and takes those it
 * finds there. The system has most of a store's file in memory, as it has been written or read not long before.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { machine } from "./load.js";
import { medianOf } from "./median.js";
import { startServer } from "./server.js";
import { type Answered, ask, type Ready, type Started, start } from "./start/started.js";
import { fillShop } from "./train/fill-shop.js";
import { productId } from "./train/shop.js";

const APP = "shop";
const BIN = join(import.meta.dirname, "../bin/aisle.js");
const BARE = join(import.meta.dirname, "start/bare-server.mjs");
/** Events taken before a server is killed. */
const EVENTS = 100;

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "10000,50000,200000" },
    events: { type: "string", default: "100000" },
    "no-model": { type: "boolean", default: false },
    passes: { type: "string", default: "3" },
    later: { type: "string", default: "10" },
    stores: { type: "string" },
    json: { type: "string" },
  },
});
const events = Number(values.events);
const laterSeconds = Number(values.later);

interface Pass {
  readonly bare: Ready;
  readonly stopped: Answered;
  readonly killed: Answered;
  readonly later: Answered;
}

const startBare = () => start((port) => [BARE, String(port)], /^ready$/m);

function startAisle(directory: string): Promise<Started> {
  const args = ["serve", "--store", `embedded:${directory}`, "--rpc-port", "0", "--train-every", "off"];
  return start((port) => [BIN, ...args, "--facade-port", String(port), "--log-level", "warn"], /^aisle is ready: /m);
}

/** What `work` finds of a server, which ends by the signal. */
async function whileRunning<T>(
  starting: Promise<Started>,
  signal: "SIGTERM" | "SIGKILL",
  work: (server: Started) => Promise<T>,
): Promise<T> {
  const server = await starting;
  try {
    return await work(server);
  } finally {
    await server.end(signal);
  }
}

async function pass(directory: string): Promise<Pass> {
  const bare = await whileRunning(startBare(), "SIGKILL", async ({ ready }) => ready);
  const stopped = await whileRunning(startAisle(directory), "SIGKILL", async (server) => {
    const answered = await ask(server, APP);
    await sendEvents(server.url);
    return answered;
  });
  const killed = await whileRunning(startAisle(directory), "SIGTERM", (server) => ask(server, APP));
  const later = await whileRunning(startAisle(directory), "SIGTERM", async (server) => {
    await pause(laterSeconds * 1000);
    return ask(server, APP);
  });
  return { bare, stopped, killed, later };
}

async function sendEvents(url: string): Promise<void> {
  const send = async (n: number) => {
    const fields = { app_id: APP, action_type: "product_view", product_ids: productId(n), c_id: `c-${n}` };
    const answer = await fetch(`${url}/trace`, { method: "POST", body: new URLSearchParams(fields) });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`POST /trace answered ${answer.status}`);
  };
  await Promise.all(Array.from({ length: EVENTS }, (_, n) => send(n)));
}

const untilRecommended = ({ recommendedMs }: Answered) => recommendedMs;

/** Fills a store, unless it was kept filled. */
async function fill(directory: string, products: number): Promise<void> {
  if (existsSync(join(directory, "data.mdb"))) return;
  const filling = `${directory}.new`;
  await rm(filling, { recursive: true, force: true });
  const server = await startServer(filling, "--log-level", "warn");
  try {
    await fillShop(server.rpcUrl, { appId: APP, products, events, isTrained: !values["no-model"] });
  } finally {
    await server.stop();
  }
  await rename(filling, directory);
}

async function measure(products: number) {
  const name = `${products}x${events}${values["no-model"] ? "-no-model" : ""}`;
  const directory = values.stores ? join(values.stores, name) : await mkdtemp(join(tmpdir(), "aisle-start-"));
  try {
    await fill(directory, products);
    const files = await readdir(directory, { recursive: true });
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size));
    const storeMib = sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
    const passes: Pass[] = [];
    for (let n = 0; n < Number(values.passes); n++) passes.push(await pass(directory));
    return {
      products,
      storeMib,
      bare: medianOf(
        passes.map(({ bare }) => bare),
        ({ readyMs }) => readyMs,
      ),
      stopped: medianOf(
        passes.map(({ stopped }) => stopped),
        untilRecommended,
      ),
      killed: medianOf(
        passes.map(({ killed }) => killed),
        untilRecommended,
      ),
      later: medianOf(
        passes.map(({ later }) => later),
        ({ recommendMs }) => recommendMs,
      ),
      passes,
    };
  } finally {
    if (!values.stores) await rm(directory, { recursive: true, force: true });
  }
}

type Row = Awaited<ReturnType<typeof measure>>;

function startTable(rows: readonly Row[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: [
      "products",
      "store MiB",
      "start",
      "ready ms",
      "to bare",
      "readyz ms",
      "status ms",
      "first recommend ms",
      "from spawn",
      "next",
      "MiB",
      "with files",
    ],
    colAligns: ["right", "right", "left", ...Array.from({ length: 9 }, () => "right" as const)],
  });
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  for (const { products, storeMib, bare, stopped, killed, later } of rows) {
    const size = [products.toLocaleString("en"), storeMib.toFixed(0)];
    const ratio = ({ readyMs }: Ready) => (readyMs / bare.readyMs).toFixed(2);
    const unasked = Array.from({ length: 6 }, () => "");
    table.push([...size, "fastify alone", ms(bare.readyMs), "1.00", ms(bare.readyzMs), ...unasked]);
    const memory = ({ ownMib, residentMib }: Answered) => [ownMib, residentMib].map((mib) => mib.toFixed(0));
    for (const [name, one] of [
      ["after a stop", stopped],
      ["after kill -9", killed],
    ] as const) {
      const waited = [one.readyzMs, one.statusMs, one.recommendMs, one.recommendedMs, one.againMs].map(ms);
      table.push([...size, name, ms(one.readyMs), ratio(one), ...waited, ...memory(one)]);
    }
    const asked = [ms(later.statusMs), ms(later.recommendMs), "", ms(later.againMs)];
    table.push([...size, `asked ${laterSeconds} s later`, "", "", "", ...asked, ...memory(later)]);
  }
  return table.toString();
}

console.log(JSON.stringify({ ...machine(), ...values }));
const rows: Row[] = [];
for (const products of values.products.split(",").map(Number)) rows.push(await measure(products));
console.log(startTable(rows));
if (values.json !== undefined)
  await writeFile(
    values.json,
    `${JSON.stringify({ machine: machine(), events, isTrained: !values["no-model"], rows }, null, 2)}\n`,
  );
