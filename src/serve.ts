import { randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { pino } from "pino";
import { v7 as uuidv7 } from "uuid";
import { openEmbeddedStore } from "./adapters/embedded/store.js";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { createPrometheusMetrics } from "./adapters/metrics/prometheus.js";
import { createAisle } from "./app.js";
import { type Config, type ListenAddress, SETTINGS } from "./config.js";
import { demoCurlLines, demoFile } from "./demo/demo.js";
import { setUpDemo } from "./demo-shop.js";
import { createFacade } from "./facade/facade.js";
import { createHealthState } from "./services/health.js";
import { createRpcListener } from "./services/rpc-listener.js";
import { createCallMetrics } from "./services/rpc-metrics.js";
import { type Schedule, startSchedule } from "./training/schedule.js";
import { createThreadTraining } from "./training-thread.js";

/** Calls under way get this long to end after a signal. */
const DRAIN_MS = 10_000;

/** A second signal this soon is a copy of the first one. */
const REPEAT_MS = 1_000;
/** Connections that never sent a byte get this long; browsers open such ones in advance. */
const SILENT_MS = 500;

/**
 * Runs a server until SIGTERM or SIGINT, then drains it. The ports open when everything behind them is ready. Whatever
 * ends it, the store is closed and nothing is left that keeps the process alive.
 */
export async function serve(config: Config, say: (line: string) => void): Promise<void> {
  const stop = stopSignal();
  const logger = pino({ level: config.logLevel }, pino.destination(2));
  const metrics = createPrometheusMetrics();
  const now = Date.now;
  const report = (error: unknown) => logger.error({ error: describe(error) }, "a call failed inside");
  // A taken port is told at once, not when the demo is made. Its product URLs must be known before the facade listens.
  const facadePort = await closedPort(config.facade, FACADE);
  await closedPort(config.rpc, RPC);
  const facadeUrl = config.publicUrl ?? urlOf(config.facade.host, facadePort);
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
  const health = createHealthState();
  const facade = createFacade({
    clients: aisle.clients,
    now,
    newRequestId: uuidv7,
    publicUrl: facadeUrl,
    cacheMaxAgeSeconds: config.cacheSeconds,
    ready: () => store.ready(),
    isStopping: stop.seen,
    metrics,
    logger,
    staticFiles: demoFile,
  });
  const sockets = trackSockets(facade.server);
  const rpc = createRpcListener({
    routes: aisle.routes,
    host: config.rpc.host,
    port: config.rpc.port,
    health,
    metrics,
    interceptors: [createCallMetrics({ metrics, now: () => performance.now() })],
    onError: (error) => report(error),
  });
  const trainChanged = () =>
    aisle.trainer.trainChanged((appId, error) => {
      if (!stop.seen()) logger.error({ appId, error: describe(error) }, "a scheduled training failed");
    });
  let schedule: Schedule | undefined;

  try {
    const demo = config.demo && setUpDemo(aisle, { baseUrl: facadeUrl, now, say });
    const hasDemo = await Promise.race([stop.signalled, demo]);
    if (stop.seen()) return;
    await opened(facade.listen({ host: config.facade.host, port: facadePort }), facadePort, FACADE);
    const { port: rpcPort } = await opened(rpc.listen(), config.rpc.port, RPC);
    schedule = startSchedule(config.trainEveryMs, trainChanged, report);
    health.set(true);
    say(`aisle is ready: storefronts at ${facadeUrl}, RPC at ${urlOf(config.rpc.host, rpcPort)}`);
    if (hasDemo) {
      say(`The demo shop is at ${facadeUrl}/demo/ — or try:`);
      for (const line of demoCurlLines(facadeUrl, now())) say(line);
    }
    await stop.signalled;
  } finally {
    health.set(false);
    const forced = setTimeout(() => process.exit(1), DRAIN_MS + 5_000).unref();
    const silent = setTimeout(() => sockets.destroy((socket) => socket.bytesRead === 0), SILENT_MS);
    const late = setTimeout(() => sockets.destroy(() => true), DRAIN_MS);
    await Promise.all([facade.close(), rpc.close(DRAIN_MS), training.stop().then(() => schedule?.stop())]);
    for (const timer of [silent, late]) clearTimeout(timer);
    aisle.close();
    await store.close();
    clearTimeout(forced);
  }
}

/**
 * The first SIGTERM or SIGINT; a second one ends the process at once. One that follows within a second is the same one
 * again: Ctrl-C under `npm start` reaches us from the terminal and once more from npm (test/scripts/signals.test.ts).
 */
function stopSignal(): { readonly signalled: Promise<void>; readonly seen: () => boolean } {
  let firstAt: number | undefined;
  const signalled = new Promise<void>((resolve) => {
    const take = () => {
      if (firstAt !== undefined && performance.now() - firstAt > REPEAT_MS) process.exit(1);
      firstAt ??= performance.now();
      resolve();
    };
    process.on("SIGTERM", take);
    process.on("SIGINT", take);
  });
  return { signalled, seen: () => firstAt !== undefined };
}

/** Open connections of a server, so that a drain has an end. */
function trackSockets(server: Server): { destroy(which: (socket: Socket) => boolean): void } {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    destroy(which) {
      for (const socket of sockets) if (which(socket)) socket.destroy();
    },
  };
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

/** The listener cannot listen. One line that names the setting and what is wrong with it. */
class ListenError extends Error {
  readonly exitCode = 1;
}

/** The settings that say where a listener listens. */
interface ListenSettings {
  readonly host: { readonly flag: string; readonly variable: string };
  readonly port: { readonly flag: string; readonly variable: string };
}

const FACADE: ListenSettings = { host: SETTINGS.host, port: SETTINGS.facadePort };
const RPC: ListenSettings = { host: SETTINGS.rpcHost, port: SETTINGS.rpcPort };

const PORT_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "is taken; choose another, 0 for any free one"],
  ["EACCES", "may not be opened by this user"],
]);
const HOST_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRNOTAVAIL", "is no address of this machine"],
  ["ENOTFOUND", "is not known as a host name"],
  ["EAI_AGAIN", "cannot be looked up now"],
]);

/** Waits for a listener; its system error becomes a ListenError. */
async function opened<T>(listening: Promise<T>, port: number, settings: ListenSettings): Promise<T> {
  try {
    return await listening;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const hostFault = HOST_FAULTS.get(code);
    const { flag, variable } = hostFault === undefined ? settings.port : settings.host;
    const portFault = PORT_FAULTS.get(code) ?? `cannot be opened (${code || "no reason given"})`;
    throw new ListenError(`${flag} (${variable}): ${hostFault ?? `port ${port} ${portFault}`}`, { cause });
  }
}

/** The port, or for 0 a free one, after a look whether it can be opened; it is closed again. */
function closedPort({ host, port }: ListenAddress, settings: ListenSettings): Promise<number> {
  const probe = createServer((socket) => socket.destroy());
  const found = new Promise<number>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
  return opened(found, port, settings);
}
