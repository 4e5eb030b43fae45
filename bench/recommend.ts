/**
 * POST /recommend of a shop with a trained model, beside an empty answer of fastify to the same bodies.
 *
 *   npm run bench -- recommend [--products 50000] [--events 300000] [--seconds 5] [--passes 3] [--json FILE]
 *
 * The shop is made up (bench/train/shop.ts), imported over RPC and trained, then asked with histories of 20 interactions
 * (2.6 KB) and of 600 (75 KB), of visitors the server does not know. Servers are on one processor and the load on another;
 * passes of a closed loop alternate, CPU is that of the server's process for each 200. Beside them the same catalogue
 * without a model is asked. Then, in an open loop at half of what
 * Aisle answered with 20 interactions, the latency from the time each request was due.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startEmptyServer } from "./empty-server.js";
import { keep, machine } from "./load.js";
import { load } from "./open-loop/load.js";
import { LOAD_CPU, SERVER_CPU } from "./open-loop/pinning.js";
import { cpuOf, inTurns, medianOf, passOf, rateOf, tableOf } from "./passes.js";
import { startPinnedServer } from "./server.js";
import { fillShop } from "./train/fill-shop.js";
import { type Step, stepsOfVisitors } from "./train/shop.js";

const APP = "shop";
/** The same catalogue without a model. */
const UNTRAINED = "untrained";
const CONNECTIONS = 32;
const LENGTHS = [20, 600] as const;
/** Different bodies of each length: of 20 so many that most ask about a product that was not asked about lately. */
const BODIES = { 20: 30_000, 600: 1000 } as const;
const WARM_SECONDS = 8;
const OPEN_WARM_SECONDS = 3;

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "50000" },
    events: { type: "string", default: "300000" },
    seconds: { type: "string", default: "5" },
    passes: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const productCount = Number(values.products);
const eventCount = Number(values.events);
const seconds = Number(values.seconds);

type Length = (typeof LENGTHS)[number];

function bodyOf(appId: string, history: readonly Step[], n: number): string {
  return JSON.stringify({
    appId,
    productInteractions: history.map(({ type, productId, at }) => ({
      productInteractionType: type,
      productId,
      productSku: productId,
      utcInteractionDate: new Date(at).toISOString(),
    })),
    currentProductIds: history.at(-1)?.productId,
    cId: `unknown-${n}`,
  });
}

interface Asked {
  readonly name: string;
  readonly length: Length;
  readonly url: string;
  readonly pid: number;
  readonly bodies: readonly string[];
}

const JSON_TYPE = "application/json";
const pass = ({ url, pid, bodies }: Asked, forSeconds: number) =>
  passOf(pid, { url, bodies, contentType: JSON_TYPE, connections: CONNECTIONS, seconds: forSeconds });

console.log(JSON.stringify({ ...machine(), ...values }));
const directory = await mkdtemp(join(tmpdir(), "aisle-recommend-"));
const server = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, "--log-level", "warn");
const empty = await startEmptyServer();
try {
  await fillShop(server.rpcUrl, { appId: APP, products: productCount, events: eventCount, isTrained: true });
  await fillShop(server.rpcUrl, { appId: UNTRAINED, products: productCount, events: 0, isTrained: false });
  const histories = new Map(
    await Promise.all(
      LENGTHS.map(async (length) => [length, await stepsOfVisitors(BODIES[length], length, productCount)] as const),
    ),
  );
  const asked = LENGTHS.flatMap((length): Asked[] => {
    const bodiesOf = (appId: string) => (histories.get(length) ?? []).map((history, n) => bodyOf(appId, history, n));
    const ours = { length, url: `${server.facadeUrl}/recommend`, pid: server.pid };
    const bodies = bodiesOf(APP);
    return [
      { name: "fastify, empty JSON", length, url: `${empty.url}/recommend`, pid: empty.pid, bodies },
      { name: "POST /recommend", ...ours, bodies },
      { name: "without a model", ...ours, bodies: bodiesOf(UNTRAINED) },
    ];
  });
  for (const one of asked) await pass(one, WARM_SECONDS);
  const passes = await inTurns(asked, Number(values.passes), (one) => pass(one, seconds));
  const figures = asked.map(({ name, length }, at) => {
    const median = medianOf(passes[at] ?? [], cpuOf);
    const reference = medianOf(passes[asked.findIndex((one) => one.length === length)] ?? [], cpuOf);
    return { name, length, ...median, ratio: median.cpuMicros / reference.cpuMicros };
  });
  console.log(
    tableOf(
      ["", "interactions", "CPU µs", "to fastify", "a second", "failed"],
      figures.map(({ name, length, cpuMicros, ratio, perSecond, failed }) => {
        return [name, length, cpuMicros.toFixed(0), ratio.toFixed(2), rateOf(perSecond), failed];
      }),
    ),
  );

  const ours = asked[1];
  // What this process holds is collected now, and not by threads of it beside the server.
  histories.clear();
  asked.length = 0;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const rate = (figures[1]?.perSecond ?? 0) / 2;
  if (ours === undefined) throw new Error("nothing was asked");
  const open: Awaited<ReturnType<typeof load>>[] = [];
  const plan = { contentType: JSON_TYPE, connections: 512, rate, seconds, warmSeconds: OPEN_WARM_SECONDS };
  for (let n = 0; n < Number(values.passes); n++)
    open.push(await load({ ...plan, url: ours.url, bodies: ours.bodies }, LOAD_CPU));
  const { ok } = medianOf(open, (report) => report.ok.p99);
  const passed = open.map((report) => report.ok.p99.toFixed(2)).join(", ");
  console.log(
    `open loop, 20 interactions, ${Math.round(rate)} a second, ms: p50 ${ok.p50.toFixed(2)}, p99 ${ok.p99.toFixed(2)} (passes ${passed}), p99.9 ${ok.p999.toFixed(2)}`,
  );
  await keep(values.json, { products: productCount, events: eventCount, figures, rate, open });
} finally {
  await empty.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
