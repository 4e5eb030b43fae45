import { setTimeout as pause } from "node:timers/promises";
import { createPrometheusMetrics, type PrometheusMetrics } from "../adapters/metrics/prometheus.js";
import type { Schedule } from "../learning/training/schedule.js";
import { toConnectError } from "../services/errors/errors.js";
import { createHealthState } from "../services/standard/health.js";
import { RPC_METHODS } from "../services/telemetry/rpc-methods.js";
import { startBackgroundTasks } from "./background-tasks.js";
import { RPC_CERTIFICATE, readCertificate } from "./certificates.js";
import { setUpDemo } from "./demo/set-up.js";
import { describe, type Logger } from "./log.js";
import { openServices } from "./open-services.js";
import { openTracer } from "./open-tracer.js";
import { createReportFailure } from "./report-failure.js";
import type { Ports, RoleTasks } from "./roles.js";
import { connectionsOfPorts, createFacadePort, createRpcPort, type PortParts } from "./server-ports.js";
import type { Config } from "./settings/config.js";
import { DRAIN_MS, type StopSignal } from "./stop-signal.js";
import { createSystemClock } from "./system-clock.js";
import { hardExit } from "./workers/hard-exit.js";

/** Time for connections that never sent a byte; browsers open such ones in advance. */
const SILENT_MS = 500;

export interface Surroundings {
  readonly duties: RoleTasks;
  readonly ports: Ports;
  readonly stop: StopSignal;
  readonly say: (line: string) => void;
  readonly logger: Logger;
  /** The file descriptor behind standard error for the audit log. */
  readonly logFile: number;
  /** Called when the store stopped accepting writes: restart the process, by another process. */
  readonly latched: (reason: string) => void;
  /** For an embedded store: opens only the one with this id. */
  readonly expectedStoreId: string | undefined;
  /** Called when everything listens and the store is open; `demo` when there is a demo shop. */
  readonly ready: (demo: boolean, storeId: string | undefined) => void;
  readonly metrics: PrometheusMetrics;
}

/** Metrics for a process of a server. */
export function serverMetrics(): PrometheusMetrics {
  return createPrometheusMetrics({ rpcMethods: RPC_METHODS });
}

/**
 * Runs one process of a server until it stops, then drains it. The ports open when everything behind them is ready. If
 * the store is not open yet, the ports open at once, calls are rejected, and readiness gives the reason. At its end,
 * whatever the cause, the store is closed and nothing keeps the process alive.
 */
export async function runServer(config: Config, around: Surroundings): Promise<void> {
  const { duties, stop } = around;
  const server = await assemble(config, around);
  const { services, health, facade, rpc } = server;
  let schedules: Schedule[] = [];
  try {
    const makeDemo = () => makeDemoShop(config, around, server);
    let hasDemo = services.opening === undefined && (await Promise.race([stop.signalled, makeDemo()]));
    if (stop.seen()) return;
    if (duties.facade) await facade.listen();
    if (duties.rpc !== "closed") {
      await rpc.listen();
      health.set(services.opening === undefined);
    }
    schedules = startTasks(config, around, server);
    if (services.opening !== undefined) {
      hasDemo = await Promise.race([stop.signalled, services.opening.then(makeDemo)]);
      if (stop.seen()) return;
    }
    around.ready(hasDemo === true, services.storeId());
    await stop.signalled;
    health.set(false);
    rpc.announceClose();
    if (!server.isLatched()) await pause(config.preStopMs); // balancers have seen it not ready before
  } finally {
    await drain(server, schedules);
  }
}

type Server = Awaited<ReturnType<typeof assemble>>;

/** Opens the store or connects to the services, and makes both ports. Nothing listens yet. */
async function assemble(config: Config, around: Surroundings) {
  const { duties, ports, stop, logger, metrics } = around;
  const certificate = config.tls === null ? undefined : readCertificate(config.tls);
  const rpcCertificate = config.rpcTls === null ? undefined : readCertificate(config.rpcTls, RPC_CERTIFICATE);
  const clock = createSystemClock(logger, metrics);
  const report = (error: unknown) => logger.error({ error }, "internal error in a call");
  const tracer = config.otlp === null ? undefined : await openTracer(config.otlp, metrics);
  let isLatched = false;
  const services = await openServices(config, {
    clock,
    metrics,
    latched: (error) => {
      isLatched = true;
      logger.error({ error }, "the store stopped accepting writes");
      around.latched(describe(error).split("\n", 1)[0] ?? "");
    },
    tracer,
    report,
    reportFailure: createReportFailure(logger, metrics, clock.monotonicNow),
    onDamage: (table) => logger.error({ table }, "damaged value found; it was not returned"),
    log: (line) => logger.info(line),
    away: (line) => logger.warn(`${line}; waiting for the store`),
    warn: (line) => logger.warn(line),
    expectedStoreId: around.expectedStoreId,
    publicUrl: duties.facade ? ports.facadeUrl : (config.publicUrl ?? undefined),
    privateHooks: config.privateHooks,
    privateFeeds: config.privateFeeds,
  });
  const ready = async () => {
    try {
      await services.ready();
    } catch (error) {
      throw toConnectError(error);
    }
  };
  const health = createHealthState();
  const connections = connectionsOfPorts(logger);
  const common = { config, duties, ports, services, ready, connections, clock, logger, metrics, tracer };
  const parts: PortParts = { ...common, isStopping: stop.seen };
  return {
    ...parts,
    tracer,
    health,
    report,
    isLatched: () => isLatched,
    facade: createFacadePort(parts, certificate),
    rpc: createRpcPort(parts, {
      certificate: rpcCertificate,
      settings: RPC_CERTIFICATE,
      health,
      metricsText: metrics,
      logFile: around.logFile,
      report,
    }),
  };
}

/** True when there is a demo shop. Its set-up takes a while, so a stop signal ends it. */
async function makeDemoShop(config: Config, around: Surroundings, { services, clock }: Server): Promise<boolean> {
  const { duties, ports, stop, say } = around;
  if (!config.demo || !duties.training || services.aisle === undefined) return false;
  const pauseUnlessStopped = async (ms: number) => {
    await pause(ms);
    if (stop.seen()) throw new Error("The server is stopping");
  };
  const where = { baseUrl: ports.facadeUrl, now: clock.now };
  return setUpDemo(services.aisle, { ...where, say, pause: pauseUnlessStopped });
}

function startTasks({ trainEvery }: Config, { duties }: Surroundings, server: Server): Schedule[] {
  const { services, facade, rpc } = server;
  const watched = [...(duties.facade ? facade.watched : []), ...(duties.rpc === "closed" ? [] : rpc.watched)];
  return startBackgroundTasks({ ...server, duties, aisle: services.aisle, watched, trainEvery });
}

/** Answers the open calls, for `DRAIN_MS` at most, and closes everything. */
async function drain({ health, services, facade, rpc, tracer }: Server, schedules: readonly Schedule[]): Promise<void> {
  health.set(false);
  const forced = setTimeout(hardExit, DRAIN_MS + 5_000).unref();
  const silent = setTimeout(() => facade.sockets.destroy((socket) => socket.bytesRead === 0), SILENT_MS);
  const late = setTimeout(() => facade.sockets.destroy(() => true), DRAIN_MS);
  const scheduled = async () => {
    await services.stopTraining();
    await services.aisle?.settleOperations();
    await Promise.all(schedules.map((schedule) => schedule.stop()));
  };
  await Promise.all([facade.close(), rpc.close(DRAIN_MS), scheduled()]);
  for (const timer of [silent, late]) clearTimeout(timer);
  await services.aisle?.writeFrameCounts();
  await services.close();
  await tracer?.close();
  clearTimeout(forced);
}
