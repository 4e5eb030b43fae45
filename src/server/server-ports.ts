/** The two ports of a process: made first, opened when everything behind them is ready. */
import { randomUUID } from "node:crypto";
import { Server as HttpsServer } from "node:https";
import type { PrometheusMetrics } from "../adapters/metrics/prometheus.js";
import type { Tracer } from "../adapters/tracer.js";
import type { Clock } from "../domain/clock.js";
import { createFacade } from "../facade/facade.js";
import { MAX_CONNECTIONS } from "../facade/server-limits.js";
import type { HealthState } from "../services/standard/health.js";
import type { MetricsText } from "../services/wire/http-endpoints.js";
import { LIMITS } from "../services/wire/limits.js";
import { createRpcListener } from "../services/wire/rpc-listener.js";
import { openAuditLog } from "./audit-log.js";
import { type CertificateSettings, createCertificateWatch, type ListenerCertificate } from "./certificates.js";
import { createPeerConnections } from "./connection-limit.js";
import { createDemoFiles } from "./demo/files.js";
import { FACADE, opened, RPC, trackSockets } from "./listen.js";
import type { Logger } from "./log.js";
import { type Connections, connectionsWithin, readMachineLimits } from "./machine-limits.js";
import type { openServices } from "./open-services.js";
import { consoleUrlOf, type Ports, type RoleTasks } from "./roles.js";
import { rpcAccess } from "./rpc-access.js";
import { createTokenWatch } from "./rpc-tokens.js";
import type { Config } from "./settings/config.js";
import type { CertificateFiles } from "./settings/setting-values.js";
import { createRequestIds } from "./uuids.js";
import { consolePages, readDemoScript, readHelperScript, readHelperStyle } from "./web-files.js";

/** Connections that wait to be accepted. The first packets of further ones are lost and retried a second later. */
const BACKLOG = 4096;

/** Dependencies of both ports. */
export interface PortParts {
  readonly config: Config;
  readonly duties: RoleTasks;
  readonly ports: Ports;
  readonly services: Awaited<ReturnType<typeof openServices>>;
  /** Resolves when the services take writes; rejects with a ConnectError that gives the reason. */
  readonly ready: () => Promise<void>;
  readonly connections: Connections;
  readonly clock: Pick<Clock, "now" | "monotonicNow">;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
  readonly tracer: Tracer | undefined;
  readonly isStopping: () => boolean;
}

/** Checks files that an operator may replace while the server runs. */
export type LookAtFiles = () => void;

/** Connections of each port within the limit of open files. */
export function connectionsOfPorts(logger: Logger): Connections {
  const most = { rest: MAX_CONNECTIONS, rpc: LIMITS.maxConnections };
  return connectionsWithin(readMachineLimits().openFiles, most, (line) => logger.warn(line));
}

export function createFacadePort(parts: PortParts, certificate: ListenerCertificate | undefined) {
  const { config, duties, ports, services, connections, clock, logger, metrics } = parts;
  const consoleUrl = consoleUrlOf(config, duties, ports);
  const facade = createFacade({
    isFull: services.isFull,
    certificate,
    clients: services.clients,
    now: clock.now,
    monotonicNow: clock.monotonicNow,
    newRequestId: createRequestIds({ now: clock.now, random: randomUUID() }),
    publicUrl: ports.facadeUrl,
    cacheMaxAgeSeconds: config.cacheSeconds,
    callTimeoutMs: services.callMs,
    maxConnections: connections.rest,
    ready: parts.ready,
    isStopping: parts.isStopping,
    metrics,
    logger,
    tracer: parts.tracer,
    staticFiles: config.demo
      ? createDemoFiles({ script: readDemoScript(), ...(consoleUrl !== undefined && { consoleUrl }) })
      : undefined,
    helperScript: readHelperScript(),
    helperStyle: readHelperStyle(),
    networks: config,
  });
  const admits = peerConnections(config, connections.rest);
  facade.server.prependListener("connection", (socket) => {
    if (!admits(socket)) socket.destroy();
  });
  const { host } = config.facade;
  return {
    sockets: trackSockets(facade.server),
    watched: certificateLooks(config.tls, undefined, certificate, logger, (renewed) => {
      // Open connections keep the earlier one.
      if (facade.server instanceof HttpsServer) facade.server.setSecureContext(renewed);
      logger.info("the certificate was renewed");
    }),
    listen: () => opened(facade.listen({ host, port: ports.facadePort, backlog: BACKLOG }), ports.facadePort, FACADE),
    close: () => facade.close(),
  };
}

export function createRpcPort(
  parts: PortParts,
  own: {
    readonly certificate: ListenerCertificate | undefined;
    readonly settings: CertificateSettings;
    readonly health: HealthState;
    /** The content of /metrics. */
    readonly metricsText: MetricsText;
    /** Target of the audit log for standard error. */
    readonly logFile: number;
    readonly report: (error: unknown) => void;
  },
) {
  const { config, duties, ports, services, connections, clock, logger, metrics, tracer } = parts;
  const tokens =
    config.rpcTokens === null ? undefined : createTokenWatch(config.rpcTokens, (line) => logger.warn(line));
  const audit = openAuditLog(config.auditLog, own.logFile, (error) =>
    logger.error({ error }, "the audit log could not be written"),
  );
  const rpc = createRpcListener({
    routes: (router) => (duties.rpc === "services" ? services.aisle?.routes(router) : undefined),
    host: config.rpc.host,
    port: ports.rpcPort,
    allowedHosts: config.rpcNames,
    pageOrigins: config.rpcOrigins,
    health: own.health,
    certificate: own.certificate,
    metrics: own.metricsText,
    console: consolePages(config, duties, ports),
    ...rpcAccess({ tracer, metrics, now: clock.now, audit, tokens: () => tokens?.tokens() }),
    limits: { maxConnections: connections.rpc },
    admits: peerConnections(config, connections.rpc),
    onShed: () => metrics.count("shed", { reason: "call_bytes" }),
    onError: (error) => own.report(error),
  });
  const looks = certificateLooks(config.rpcTls, own.settings, own.certificate, logger, (renewed) => {
    rpc.renewCertificate(renewed);
    logger.info("the certificate of the RPC port was renewed");
  });
  return {
    watched: tokens === undefined ? looks : [...looks, () => tokens.look()],
    listen: () => opened(rpc.listen(), ports.rpcPort, RPC),
    announceClose: () => rpc.announceClose(),
    close: (drainMs: number) => rpc.close(drainMs),
  };
}

/** Limits the connections of one address, and of all; `most` is the limit of the port. */
function peerConnections({ connectionsPerAddress, trustedProxies }: Config, most: number) {
  return createPeerConnections({ most, perAddress: connectionsPerAddress, exempt: trustedProxies });
}

/** None for a port without a certificate. */
function certificateLooks(
  files: CertificateFiles | null,
  settings: CertificateSettings | undefined,
  current: ListenerCertificate | undefined,
  logger: Logger,
  take: (renewed: ListenerCertificate) => void,
): readonly LookAtFiles[] {
  if (files === null || current === undefined) return [];
  const watch = createCertificateWatch({
    files,
    ...(settings && { settings }),
    current,
    take,
    warn: (line) => logger.warn(line),
  });
  return [() => watch.look()];
}
