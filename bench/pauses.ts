/**
 * How long the main thread of a server stands still while it trains, imports and swaps models.
 *
 *   npm run bench -- pauses [--products 50000] [--events 300000] [--swaps 10] [--json FILE]
 *
 * The server measures itself (`monitorEventLoopDelay` of node:perf_hooks, at `/metrics`): a timer that is due every 10 ms
 * notes when it fires. Each phase begins with fresh figures; a pause is the time between two of its turns beyond those 10 ms,
 * whatever the cause: our code, garbage collection, a processor that others have. Meanwhile visitors ask for
 * recommendations and events come in, each 20 times a second, so that there is something to stand still; `answer` is what
 * they waited at most. Visitors and imports yield to the server where it wants a processor they have: they would be elsewhere.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../src/gen/aisle/v1/event_service_pb.js";
import { ModelService } from "../src/gen/aisle/v1/model_service_pb.js";
import { keep, machine } from "./load.js";
import { tableOf } from "./passes.js";
import { seriesOf } from "./process-figures.js";
import { startServer } from "./server.js";
import { catalogueOf, eventsOf } from "./train/import-shop.js";
import { productId } from "./train/shop.js";
import { trained } from "./trained.js";

const APP = "shop";
/** How often the timer of the measurement is due, ms. */
const RESOLUTION_MS = 10;
const ASK_EVERY_MS = 50;
const IDLE_MS = 10_000;
const REST_MS = 2000;
const WANTED_MS = 20;
/** As `nice` has it. */
const LOW_PRIORITY = 10;

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "50000" },
    events: { type: "string", default: "300000" },
    swaps: { type: "string", default: "10" },
    json: { type: "string" },
  },
});
const productCount = Number(values.products);

interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  readonly slowestAnswerMs: number;
}

/** Asks for recommendations and sends events until `stop`; the slowest answer, ms. */
function visitors(facadeUrl: string) {
  let slowest = 0;
  let visitor = 0;
  const form = "application/x-www-form-urlencoded";
  const ask = async (path: string, contentType: string, body: string) => {
    const from = performance.now();
    const answer = await fetch(`${facadeUrl}${path}`, {
      method: "POST",
      headers: { "content-type": contentType },
      body,
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    slowest = Math.max(slowest, performance.now() - from);
  };
  const timer = setInterval(() => {
    const viewed = productId((visitor * 7919) % productCount);
    const cId = `visitor-${visitor++}`;
    const fields = { app_id: APP, action_type: "product_view", product_ids: viewed, c_id: cId };
    const failed = (error: unknown) => console.error(`a visitor was not answered: ${error}`);
    ask(
      "/recommend",
      "application/json",
      JSON.stringify({ appId: APP, productInteractions: [], currentProductIds: viewed, cId }),
    ).catch(failed);
    ask("/trace", form, new URLSearchParams(fields).toString()).catch(failed);
  }, ASK_EVERY_MS);
  return {
    slowest() {
      const found = slowest;
      slowest = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
}

/** Gives all threads of this process a lower priority than the server's, on Linux. */
async function yieldToServer(): Promise<void> {
  if (process.platform !== "linux") return;
  for (const thread of await readdir("/proc/self/task")) setPriority(Number(thread), LOW_PRIORITY);
}

/** The delays of the event loop since this was asked before, ms. */
async function delays(rpcUrl: string) {
  const series = await seriesOf(rpcUrl);
  const of = (name: string) =>
    Math.max(0, (series.get(`nodejs_eventloop_lag_${name}_seconds`) ?? Number.NaN) * 1000 - RESOLUTION_MS);
  return { p50Ms: of("p50"), p99Ms: of("p99"), mostMs: of("max") };
}

console.log(JSON.stringify({ ...machine(), ...values }));
const directory = await mkdtemp(join(tmpdir(), "aisle-pauses-"));
const server = await startServer(directory, "--log-level", "warn");
await yieldToServer();
const phases: Phase[] = [];
try {
  const transport = createGrpcTransport({ baseUrl: server.rpcUrl, defaultTimeoutMs: 3_600_000 });
  await createClient(AppService, transport).createApp({ app: { appId: APP } });
  const people = visitors(server.facadeUrl);
  await pause(REST_MS);

  const phase = async (name: string, work: () => Promise<unknown>) => {
    await pause(REST_MS);
    people.slowest();
    await delays(server.rpcUrl);
    const from = performance.now();
    await work();
    const seconds = (performance.now() - from) / 1000;
    phases.push({ name, seconds, ...(await delays(server.rpcUrl)), slowestAnswerMs: people.slowest() });
  };

  const models: string[] = [];
  await phase("nothing else", () => pause(IDLE_MS));
  await phase("importing the catalogue", async () => {
    const { refused } = await createClient(CatalogService, transport).upsertProducts(catalogueOf(APP, productCount));
    if (refused.length > 0) throw new Error(`product ${refused[0]?.field}: ${refused[0]?.reason}`);
  });
  await phase("importing events", async () => {
    const events = eventsOf(APP, Number(values.events), productCount);
    const { refused } = await createClient(EventService, transport).recordEvents(events);
    if (refused.length > 0) throw new Error(`event ${refused[0]?.field}: ${refused[0]?.reason}`);
  });
  for (const which of ["first", "second"])
    await phase(`training, the ${which} time`, async () => models.push(await trained(transport, APP)));
  await phase("swapping models", async () => {
    for (let n = 0; n < Number(values.swaps); n++)
      await createClient(ModelService, transport).activateModel({
        appId: APP,
        modelId: models[n % models.length] ?? "",
      });
  });
  people.stop();

  console.log(
    tableOf(
      ["while", "s", "pauses: p50 ms", "p99 ms", "most ms", `under ${WANTED_MS}`, "slowest answer, ms"],
      phases.map(({ name, seconds, p50Ms, p99Ms, mostMs, slowestAnswerMs }) => {
        const times = [seconds, p50Ms, p99Ms, mostMs].map((value) => value.toFixed(1));
        return [name, ...times, mostMs <= WANTED_MS ? "yes" : "no", slowestAnswerMs.toFixed(0)];
      }),
    ),
  );
  await keep(values.json, { ...values, phases });
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
