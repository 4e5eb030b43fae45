import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { pino } from "pino";
import { v7 as uuidv7 } from "uuid";
import { openEmbeddedStore } from "./adapters/embedded/store.js";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { createPrometheusMetrics } from "./adapters/metrics/prometheus.js";
import { createAisle } from "./app.js";
import type { Config } from "./config.js";
import { demoCurlLines, demoFile } from "./demo/demo.js";
import { setUpDemo } from "./demo-shop.js";
import { createFacade } from "./facade/facade.js";
import { createHealthState } from "./services/health.js";
import { createRpcListener } from "./services/rpc-listener.js";
import { createCallMetrics } from "./services/rpc-metrics.js";
import { startSchedule } from "./training/schedule.js";
import { createThreadTraining } from "./training-thread.js";

/** Calls under way get this long to end after a signal. */
const DRAIN_MS = 10_000;

/** Runs a server until SIGTERM or SIGINT, then drains it. The ports open when everything behind them is ready. */
export async function serve(config: Config, say: (line: string) => void): Promise<void> {
  const logger = pino({ level: config.logLevel }, pino.destination(2));
  const metrics = createPrometheusMetrics();
  const now = Date.now;
  const report = (error: unknown) => logger.error({ error: describe(error) }, "a call failed inside");
  const store = await openEmbeddedStore({
    directory: config.store.directory,
    now,
    newId: uuidv7,
    metrics,
    onDamage: (table) => logger.error({ table }, "a damaged value was met and not answered"),
  });
  const training = createThreadTraining(config.store.directory);
  const aisle = createAisle({
    store,
    vectorIndexes: hnswIndexes(),
    runTraining: training.run,
    now,
    monotonicNow: () => performance.now(),
    newId: uuidv7,
    newAppId: () => randomBytes(7).toString("hex").slice(0, 13),
    metrics,
    report,
  });

  const facadePort = config.facade.port === 0 ? await freePort(config.facade.host) : config.facade.port;
  const facadeUrl = config.publicUrl ?? urlOf(config.facade.host, facadePort);
  if (config.demo) await setUpDemo(aisle, { baseUrl: facadeUrl, now, say });

  let stopping = false;
  const health = createHealthState();
  const facade = createFacade({
    clients: aisle.clients,
    now,
    newRequestId: uuidv7,
    publicUrl: facadeUrl,
    cacheMaxAgeSeconds: config.cacheSeconds,
    ready: () => store.ready(),
    isStopping: () => stopping,
    metrics,
    logger,
    staticFiles: demoFile,
  });
  const rpc = createRpcListener({
    routes: aisle.routes,
    host: config.rpc.host,
    port: config.rpc.port,
    health,
    metrics,
    interceptors: [createCallMetrics({ metrics, now: () => performance.now() })],
    onError: (error) => report(error),
  });
  const schedule = startSchedule(
    config.trainEveryMs,
    () => aisle.trainer.trainChanged((appId, error) => logger.error({ appId, error: describe(error) }, "training")),
    report,
  );

  const rpcAddress = await rpc.listen();
  await facade.listen({ host: config.facade.host, port: facadePort });
  health.set(true);
  say(`aisle is ready: storefronts at ${facadeUrl}, RPC at ${urlOf(config.rpc.host, rpcAddress.port)}`);
  if (config.demo) {
    say(`The demo shop is at ${facadeUrl}/demo/ — or try:`);
    for (const line of demoCurlLines(facadeUrl, now())) say(line);
  }

  await signalled();
  stopping = true;
  health.set(false);
  const forced = setTimeout(() => process.exit(1), DRAIN_MS + 5_000);
  forced.unref();
  await Promise.all([facade.close(), rpc.close(DRAIN_MS), training.stop().then(() => schedule.stop())]);
  aisle.close();
  await store.close();
}

/**
 * Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. One that follows within a second is
 * the same one again: under `npm start` a terminal sends Ctrl-C to the whole group, and npm passes its own copy on.
 */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const take = () => {
      if (firstAt !== undefined && performance.now() - firstAt > 1_000) process.exit(1);
      firstAt ??= performance.now();
      resolve();
    };
    process.on("SIGTERM", take);
    process.on("SIGINT", take);
  });
}

/** An error for the log: where it was thrown, and never what a caller sent. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const cause = error.cause instanceof Error ? ` caused by ${error.cause.stack ?? error.cause.message}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

function urlOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** A port nobody listens on now: the demo's product URLs must be known before the facade listens. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
