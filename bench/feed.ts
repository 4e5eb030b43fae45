/**
 * Feeds: a catalogue as a Google Merchant feed in XML through `aisle import products --full` into a fresh embedded store.
 *
 *   npm run bench -- feed [--products 1000000] [--json FILE]
 *
 * The feed is made from its number alone and written to a temporary file. It is imported into an empty app, again as it
 * is, and once more without every tenth product. For each: products a second, CPU and the most memory of the command and
 * of the server, both processes of their own. After the first: how long until the product that came last is answered, by
 * RPC and as the page of POST /recommend. Then the server is started again: how long the page asked at once waits while
 * the catalogue is read, and how long /healthz took at most meanwhile. Where there are catalogues in the data that is
 * shared, each is imported as well.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { CatalogService } from "../src/gen/aisle/v1/catalog_service_pb.js";
import { sharedData } from "../test/fixtures/shared-data.js";
import { machine } from "./load.js";
import { processFigures } from "./process-figures.js";
import { aisle, type BenchServer, startServer } from "./server.js";

const { values } = parseArgs({
  options: { products: { type: "string", default: "1000000" }, json: { type: "string" } },
});
const PRODUCTS = Number(values.products);
const APP = "shop";
const SAMPLE_MS = 100;
const BIN = join(import.meta.dirname, "../bin/aisle.js");
const CATALOGUES = ["adidas", "flipkart_1050", "gift_cards", "myntra"];

const KINDS = ["tent", "stove", "lamp", "rope", "boot", "jacket", "map", "bottle", "pack", "knife"];
const MAKERS = ["Ridge", "Fjord", "Alder", "Basalt", "Corrie", "Delta", "Esker"];
const WORDS = ["light", "warm", "sturdy", "packs small", "for winter", "for two", "of steel", "of wool", "with a lid"];

function itemOf(n: number): string {
  const pick = (from: readonly string[], salt: number) => from[(n * salt + (n >> 5)) % from.length] ?? "";
  const kind = pick(KINDS, 7);
  const text = Array.from({ length: 12 }, (_, at) => pick(WORDS, 3 + 2 * at)).join(", ");
  return `<item><g:id>p${n}</g:id><g:title>${pick(MAKERS, 3)} ${kind} ${n}</g:title>
<g:description><![CDATA[A ${kind}, ${text}. Number ${n} of our catalogue & in stock.]]></g:description>
<g:link>https://shop.example/${kind}/${n}?utm_source=feed&amp;v=1</g:link><g:image_link>https://img.shop.example/${n}.jpg</g:image_link>
<g:price>${(5 + (n % 400)).toString()},90 EUR</g:price><g:availability>${n % 50 === 0 ? "out of stock" : "in stock"}</g:availability>
<g:item_group_id>g${n >> 1}</g:item_group_id><g:brand>${pick(MAKERS, 3)}</g:brand><g:gtin>40${String(n).padStart(11, "0")}</g:gtin>
<g:product_type>Outdoor &gt; ${kind}s &gt; ${pick(MAKERS, 3)}</g:product_type><g:color>grey</g:color><g:custom_label_0>season-${n % 4}</g:custom_label_0></item>
`;
}

async function writeFeed(path: string, isListed: (n: number) => boolean): Promise<number> {
  const file = createWriteStream(path);
  file.write(
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>\n`,
  );
  for (let from = 0; from < PRODUCTS; from += 1000) {
    let text = "";
    for (let n = from; n < Math.min(from + 1000, PRODUCTS); n++) if (isListed(n)) text += itemOf(n);
    if (!file.write(text)) await once(file, "drain");
  }
  file.end("</channel></rss>\n");
  await once(file, "close");
  return statSync(path).size;
}

interface Run {
  readonly name: string;
  readonly seconds: number;
  readonly perSecond: number;
  readonly commandMib: number;
  readonly commandCpuSeconds: number;
  readonly serverMib: number;
  readonly serverCpuSeconds: number;
}

async function importing(name: string, server: BenchServer, count: number, args: readonly string[]): Promise<Run> {
  const started = performance.now();
  const before = await processFigures(server.pid);
  const child = spawn(process.execPath, [BIN, "import", "products", ...args, "--server", server.rpcUrl], {
    stdio: ["ignore", "inherit", "ignore"],
  });
  const most = { command: 0, server: 0, cpu: 0 };
  const sample = async () => {
    const [command, served] = await Promise.all([processFigures(child.pid ?? 0), processFigures(server.pid)]);
    most.command = Math.max(most.command, command.ownBytes);
    most.server = Math.max(most.server, served.ownBytes);
    most.cpu = Math.max(most.cpu, command.cpuMs);
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const seconds = (performance.now() - started) / 1000;
  const after = await processFigures(server.pid);
  const run = {
    name,
    seconds: Number(seconds.toFixed(1)),
    perSecond: Math.round(count / seconds),
    commandMib: Math.round(most.command / 2 ** 20),
    commandCpuSeconds: Number((most.cpu / 1000).toFixed(1)),
    serverMib: Math.round(most.server / 2 ** 20),
    serverCpuSeconds: Number(((after.cpuMs - before.cpuMs) / 1000).toFixed(1)),
  };
  console.log(JSON.stringify(run));
  return run;
}

/** How long until the product that came last is answered, ms. */
async function untilAnswered(
  server: BenchServer,
): Promise<{ byRpcMs: number; firstPageMs: number; nextPageMs: number }> {
  const productId = `p${PRODUCTS - 1}`;
  const catalog = createClient(CatalogService, createGrpcTransport({ baseUrl: server.rpcUrl }));
  const timed = async (work: () => Promise<void>) => {
    const from = performance.now();
    await work();
    return Math.round((performance.now() - from) * 10) / 10;
  };
  const page = async () => {
    const body = JSON.stringify({ appId: APP, productInteractions: [], currentProductIds: productId });
    const headers = { "content-type": "application/json" };
    for (;;) {
      // A connection that waits long for a catalogue to be read is given up and asked anew, as pages do.
      const answer = await fetch(`${server.facadeUrl}/recommend`, { method: "POST", headers, body }).catch(
        () => undefined,
      );
      if (answer?.status === 200 && (await answer.text()).includes(` ${PRODUCTS - 1}"`)) return;
      await answer?.body?.cancel();
    }
  };
  const byRpcMs = await timed(
    async () => void (await catalog.getProduct({ appId: APP, product: { case: "productId", value: productId } })),
  );
  return { byRpcMs, firstPageMs: await timed(page), nextPageMs: await timed(page) };
}

/** How long the page of a server that has just begun takes, and how long others waited meanwhile, ms. */
async function afterStart(server: BenchServer) {
  const waits: number[] = [];
  let loading = true;
  const others = (async () => {
    while (loading) {
      const from = performance.now();
      await (await fetch(`${server.facadeUrl}/healthz`)).text();
      waits.push(performance.now() - from);
      await setTimeout(2);
    }
  })();
  const { firstPageMs, nextPageMs } = await untilAnswered(server);
  loading = false;
  await others;
  waits.sort((a, b) => a - b);
  const at = (share: number) => Math.round((waits[Math.floor((waits.length - 1) * share)] ?? 0) * 10) / 10;
  return { firstPageMs, nextPageMs, others: { asked: waits.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) } };
}

const directory = await mkdtemp(join(tmpdir(), "aisle-feed-"));
try {
  const whole = join(directory, "feed.xml");
  const parts = join(directory, "without-a-tenth.xml");
  const bytes = await writeFeed(whole, () => true);
  await writeFeed(parts, (n) => n % 10 !== 3);
  console.log(JSON.stringify({ ...machine(), products: PRODUCTS, feedMib: Math.round(bytes / 2 ** 20) }));
  const start = () => startServer(join(directory, "store"), "--log-level", "warn");
  let server = await start();
  const runs: Run[] = [];
  try {
    await aisle(server, "app", "create", APP);
    const args = (file: string) => [file, "--app", APP, "--full"];
    runs.push(await importing("a fresh app", server, PRODUCTS, args(whole)));
    const answered = await untilAnswered(server);
    console.log(JSON.stringify(answered));
    await server.stop();
    server = await start();
    const restarted = await afterStart(server);
    console.log(JSON.stringify(restarted));
    runs.push(await importing("the same again", server, PRODUCTS, args(whole)));
    runs.push(await importing("without a tenth", server, Math.ceil(PRODUCTS * 0.9), args(parts)));
    for (const name of CATALOGUES) {
      const file = sharedData("catalogue", name, "products.jsonl.gz");
      if (file === undefined || !existsSync(file)) continue;
      await aisle(server, "app", "create", name);
      const count = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n").length;
      runs.push(await importing(name, server, count, [file, "--app", name, "--full"]));
    }
    if (values.json !== undefined)
      await writeFile(values.json, `${JSON.stringify({ machine: machine(), answered, restarted, runs }, null, 2)}\n`);
  } finally {
    await server.stop();
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
