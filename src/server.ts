import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createPrometheusMetrics, type PrometheusMetrics } from "./adapters/metrics/prometheus.js";
import { createCertificateWatch, RPC_CERTIFICATE, readCertificate } from "./certificate.js";
import type { Config, OtlpConfig } from "./config.js";
import { readConsoleFiles } from "./console-files.js";
import { createDemoFiles } from "./demo/demo.js";
import { setUpDemo } from "./demo-shop.js";
import { consoleUrlOf, type Duties, type Ports } from "./duties.js";
import { ADMISSION_LIMITS, createAdmission } from "./facade/admission.js";
import { createFacade } from "./facade/facade.js";
import { renewCertificate } from "./facade/secure-server.js";
import { MAX_CONNECTIONS } from "./facade/server-limits.js";
import { HealthCheckResponse_ServingStatus as ServingStatus } from "./gen/grpc/health/v1/health_pb.js";
import type { SenderLimit } from "./intake/sender-limit.js";
import { FACADE, opened, RPC, trackSockets } from "./listen.js";
import { createLog } from "./log.js";
import { openServices } from "./open-services.js";
import { readDemoScript, readHelperScript } from "./page-scripts.js";
import { createPeerConnections } from "./peer-connections.js";
import type { Metrics } from "./ports/metrics.js";
import { rpcInterceptors } from "./rpc-interceptors.js";
import { createTokenWatch } from "./rpc-tokens.js";
import type { ConsolePages } from "./services/console-answers.js";
import { toConnectError } from "./services/errors.js";
import { createHealthState, type HealthState } from "./services/health.js";
import type { MetricsText } from "./services/plain-answers.js";
import { createRpcListener, MAX_RPC_CONNECTIONS } from "./services/rpc-listener.js";
import { RPC_METHODS } from "./services/rpc-methods.js";
import type { StopSignal } from "./stop-signal.js";
import { type Schedule, startSchedule, startStoppable } from "./training/schedule.js";
import { createUuids } from "./uuids.js";

/** Calls under way get this long to end after a signal. */
export const DRAIN_MS = 10_000;
/** How often the files of the certificate and of the tokens are looked at. */
const FILES_EVERY_MS = 5_000;
/** Connections that never sent a byte get this long; browsers open such ones in advance. */
const SILENT_MS = 500;
/** Connections that wait to be accepted. The first packets of further ones are lost and come again a second later. */
const BACKLOG = 4096;
/** How often health looks whether the store takes writes. */
const HEALTH_EVERY_MS = 1_000;
/** How often messages to hooks, and feeds that are due, are looked for. */
const HOOKS_EVERY_MS = 1_000;
/** How often what was counted of frames is written. */
const FRAME_COUNTS_EVERY_MS = 1_000;
/** How often models that other processes published are looked for. */
const MODELS_EVERY_MS = 1_000;
/** How often apps are looked for whose catalogues or models are not in memory. */
const AHEAD_EVERY_MS = 2_000;
/** How often erasures that a process has left are looked for. */
const ERASURES_EVERY_MS = 60_000;
/** How often what is kept too long is looked for: it leaves within this time and its own. */
const RETENTION_EVERY_MS = 6 * 3600_000;
/** The first time so long after the start. */
const FIRST_RETENTION_MS = 5 * 60_000;

export interface Surroundings {
  readonly duties: Duties;
  readonly ports: Ports;
  readonly stop: StopSignal;
  readonly say: (line: string) => void;
  /** Called when everything listens and the store is not there yet. */
  readonly waiting?: () => void;
  /** Called when everything listens and the store is there; `demo` when there is a demo shop. */
  readonly ready: (demo: boolean) => void;
  readonly senderLimit?: SenderLimit | undefined;
  /** What this process counts with. */
  readonly metrics?: PrometheusMetrics;
  /** What /metrics shows when it is not the counts of this process alone. */
  readonly metricsOfAll?: MetricsText;
}

/** Metrics for a process of a server. */
export function serverMetrics(): PrometheusMetrics {
  return createPrometheusMetrics({ rpcMethods: RPC_METHODS });
}

/**
 * Runs one process of a server until it is to stop, then drains it. Its ports open when everything behind them is ready,
 * or has to be waited for: then calls are refused, and readiness says why.
 * Whatever ends it, the store is closed and nothing is left that keeps the process alive.
 */
export async function runServer(config: Config, { duties, ports, stop, ...around }: Surroundings): Promise<void> {
  const certificate = config.tls === null ? undefined : readCertificate(config.tls);
  const rpcCertificate = config.rpcTls === null ? undefined : readCertificate(config.rpcTls, RPC_CERTIFICATE);
  const logger = createLog(config.logLevel);
  const metrics = around.metrics ?? serverMetrics();
  const report = (error: unknown) => logger.error({ error }, "a call failed inside");
  const tracer = config.otlp === null ? undefined : await openTracer(config.otlp, metrics);
  const services = await openServices(config, {
    metrics,
    tracer,
    report,
    onDamage: (table) => logger.error({ table }, "a damaged value was met and not answered"),
    log: (line) => logger.info(line),
    away: (line) => logger.warn(`${line}; waiting for the store`),
    warn: (line) => logger.warn(line),
    senderLimit: around.senderLimit,
    publicUrl: duties.facade ? ports.facadeUrl : (config.publicUrl ?? undefined),
    privateHooks: config.privateHooks,
    privateFeeds: config.privateFeeds,
  });
  const { aisle, opening } = services;
  const consoleUrl = consoleUrlOf(config, duties, ports);
  const ready = async () => {
    try {
      await services.ready();
    } catch (error) {
      throw toConnectError(error);
    }
  };
  const health = createHealthState();
  const admission = createAdmission(() => performance.now(), ADMISSION_LIMITS);
  metrics.watch?.("facade_trace_waiting", () => admission.waiting);
  // One random part for all: ids of requests need not be hard to guess, and time and count keep them apart.
  const requestsOfProcess = randomUUID();
  const facade = createFacade({
    admission,
    certificate,
    clients: services.clients,
    now: Date.now,
    monotonicNow: () => performance.now(),
    newRequestId: createUuids({ now: Date.now, randomUuid: () => requestsOfProcess }),
    publicUrl: ports.facadeUrl,
    cacheMaxAgeSeconds: config.cacheSeconds,
    callTimeoutMs: services.callMs,
    ready,
    isStopping: stop.seen,
    metrics,
    logger,
    tracer,
    staticFiles: config.demo
      ? createDemoFiles({ script: readDemoScript(), ...(consoleUrl !== undefined && { consoleUrl }) })
      : undefined,
    helperScript: readHelperScript(),
    networks: config,
  });
  const watch =
    config.tls !== null &&
    certificate !== undefined &&
    createCertificateWatch({
      files: config.tls,
      current: certificate,
      take: (renewed) => {
        renewCertificate(facade.server, renewed);
        logger.info("the certificate was renewed");
      },
      warn: (line) => logger.warn(line),
    });
  const admitsBelow = (most: number) =>
    createPeerConnections({ most, perAddress: config.connectionsPerAddress, exempt: config.trustedProxies });
  const admits = admitsBelow(MAX_CONNECTIONS);
  facade.server.prependListener("connection", (socket) => {
    if (!admits(socket)) socket.destroy();
  });
  const sockets = trackSockets(facade.server);
  const tokens =
    config.rpcTokens === null ? undefined : createTokenWatch(config.rpcTokens, (line) => logger.warn(line));
  const rpc = createRpcListener({
    routes: (router) => (duties.rpc === "services" ? aisle?.routes(router) : undefined),
    host: config.rpc.host,
    port: ports.rpcPort,
    allowedHosts: config.rpcNames,
    health,
    certificate: rpcCertificate,
    metrics: around.metricsOfAll ?? metrics,
    console: consolePages(config, duties, ports),
    interceptors: rpcInterceptors({ tracer, metrics, logger, tokens: () => tokens?.tokens() }),
    admits: admitsBelow(MAX_RPC_CONNECTIONS),
    onShed: () => metrics.count("shed", { reason: "call_bytes" }),
    onError: (error) => report(error),
  });
  const rpcWatch =
    config.rpcTls !== null &&
    rpcCertificate !== undefined &&
    createCertificateWatch({
      files: config.rpcTls,
      settings: RPC_CERTIFICATE,
      current: rpcCertificate,
      take: (renewed) => {
        rpc.renewCertificate(renewed);
        logger.info("the certificate of the RPC port was renewed");
      },
      warn: (line) => logger.warn(line),
    });
  const schedules: Schedule[] = [];
  const trainChanged = async () =>
    aisle?.trainer.trainChanged((appId, error) => {
      if (!stop.seen()) logger.error({ appId, error }, "a scheduled training failed");
    });
  let isReady = true;
  metrics.watch?.("ready", () => (isReady && !stop.seen() ? 1 : 0));
  const resumeErasures = async () =>
    aisle?.resumeErasures((appId, error) => {
      if (!stop.seen()) logger.error({ appId, error }, "an erasure failed and is tried again");
    });
  let sweptAt = performance.now() + FIRST_RETENTION_MS - RETENTION_EVERY_MS;
  const sweepRetention = async () => {
    if (performance.now() - sweptAt < RETENTION_EVERY_MS) return;
    sweptAt = performance.now();
    await aisle?.sweepRetention((appId, error) => {
      if (!stop.seen()) logger.error({ appId, error }, "what is kept too long could not be removed");
    });
  };
  const lookAtHealth = async () => {
    const serving = await ready().then(
      () => true,
      () => false,
    );
    isReady = serving;
    if (!stop.seen() && isServing(health) !== serving) health.set(serving);
  };

  try {
    const wantsDemo = config.demo && duties.training && aisle !== undefined;
    const pauseUnlessStopped = async (ms: number) => {
      await pause(ms);
      if (stop.seen()) throw new Error("The server is stopping");
    };
    const makeDemo = async () =>
      wantsDemo &&
      setUpDemo(aisle, { baseUrl: ports.facadeUrl, now: Date.now, say: around.say, pause: pauseUnlessStopped });
    let hasDemo = opening === undefined && (await Promise.race([stop.signalled, makeDemo()]));
    if (stop.seen()) return;
    if (duties.facade)
      await opened(
        facade.listen({ host: config.facade.host, port: ports.facadePort, backlog: BACKLOG }),
        ports.facadePort,
        FACADE,
      );
    if (duties.facade && watch) schedules.push(startSchedule(FILES_EVERY_MS, async () => watch.look(), report));
    if (duties.rpc !== "closed") {
      await opened(rpc.listen(), ports.rpcPort, RPC);
      health.set(opening === undefined);
      schedules.push(startSchedule(HEALTH_EVERY_MS, lookAtHealth, report));
      if (rpcWatch) schedules.push(startSchedule(FILES_EVERY_MS, async () => rpcWatch.look(), report));
      if (tokens) schedules.push(startSchedule(FILES_EVERY_MS, async () => tokens.look(), report));
    }
    if (duties.training) schedules.push(startSchedule(config.trainEveryMs, trainChanged, report));
    if (duties.training && aisle?.deliverHooks)
      schedules.push(startSchedule(HOOKS_EVERY_MS, aisle.deliverHooks, report));
    if (duties.training && aisle) schedules.push(startStoppable(HOOKS_EVERY_MS, aisle.readFeeds, report));
    if (aisle !== undefined) schedules.push(startSchedule(MODELS_EVERY_MS, aisle.lookForModels, report));
    if (aisle !== undefined && duties.rpc === "services")
      schedules.push(startStoppable(AHEAD_EVERY_MS, aisle.loadAhead, report, 0));
    if (aisle !== undefined)
      schedules.push(startSchedule(FRAME_COUNTS_EVERY_MS, async () => aisle.writeFrameCounts(false), report));
    if (duties.training) schedules.push(startSchedule(ERASURES_EVERY_MS, sweepRetention, report));
    if (aisle !== undefined) schedules.push(startSchedule(ERASURES_EVERY_MS, resumeErasures, report));
    if (opening !== undefined) {
      around.waiting?.();
      hasDemo = await Promise.race([stop.signalled, opening.then(makeDemo)]);
      if (stop.seen()) return;
    }
    around.ready(hasDemo === true);
    await stop.signalled;
    health.set(false);
    rpc.announceClose();
    await pause(config.preStopMs);
  } finally {
    health.set(false);
    const forced = setTimeout(() => process.exit(1), DRAIN_MS + 5_000).unref();
    const silent = setTimeout(() => sockets.destroy((socket) => socket.bytesRead === 0), SILENT_MS);
    const late = setTimeout(() => sockets.destroy(() => true), DRAIN_MS);
    const scheduled = async () => {
      await services.stopTraining();
      await Promise.all(schedules.map((schedule) => schedule.stop()));
    };
    await Promise.all([facade.close(), rpc.close(DRAIN_MS), scheduled()]);
    for (const timer of [silent, late]) clearTimeout(timer);
    await aisle?.writeFrameCounts(true);
    await services.close();
    await tracer?.close();
    clearTimeout(forced);
  }
}

function consolePages(config: Config, duties: Duties, ports: Ports): ConsolePages | undefined {
  const files = config.console === "off" || duties.rpc !== "services" ? undefined : readConsoleFiles();
  if (files === undefined) return undefined;
  const storefrontUrl = duties.facade ? ports.facadeUrl : (config.publicUrl ?? undefined);
  return { files, storefrontUrl, anyPeer: config.console === "any" };
}

/** The libraries are loaded only where there is somebody to send traces to. */
async function openTracer({ endpoint, ratio }: OtlpConfig, metrics: Metrics) {
  const { openOtlpTracer } = await import("./adapters/tracing/otlp-tracer.js");
  return openOtlpTracer({ endpoint, ratio, metrics });
}

function isServing(health: HealthState): boolean {
  return health.status("") === ServingStatus.SERVING;
}
