/**
 * One port for all RPC callers: gRPC, gRPC-Web and Connect, over HTTP/2 (prior knowledge, with TLS by ALPN) and HTTP/1.1,
 * with health and reflection, GET /metrics, GET /healthz and the console.
 *
 * An HTTP/1.1 server owns the port, so that its own checks (header time, idle connections) run on it; the first
 * bytes of a connection decide whether its socket goes on to it or to an HTTP/2 server without a port.
 */
import { setMaxListeners } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { DescFile } from "@bufbuild/protobuf";
import type { ConnectRouter, Interceptor } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { type AnswerDeps, type Answers, createAnswers } from "./answer-requests.js";
import type { Gate } from "../access/authorization.js";
import { shuttingDown } from "../errors/error-info.js";
import { createGracefulClose } from "./graceful-close.js";
import { createHealthService, createHealthState, type HealthState } from "../standard/health.js";
import { createMessageMemory } from "./message-memory.js";
import { createOpenCalls, OPEN_CALL_LIMITS } from "./open-calls.js";
import { createProtocolDetection } from "./protocol-detection.js";
import {
  createHttp1Server,
  createHttp2Server,
  type ListenerLimits,
  takeConnections,
  trackSessions,
} from "./protocol-servers.js";
import { reflectionRoutes } from "../standard/reflection.js";
import { createReflectionIndex } from "../standard/reflection-index.js";
import { createRpcHandler, type RpcHandler } from "./rpc-handler.js";
import { createSecureConnections, type RpcCertificate } from "./secure-connections.js";
import { createTurns, type InTurn } from "./turns.js";

export type { ListenerLimits } from "./protocol-servers.js";

/** Connections at one time; more are refused. */
export const MAX_RPC_CONNECTIONS = 2_000;

const DEFAULT_LIMITS: ListenerLimits = {
  readMaxBytes: 4 * 1024 * 1024,
  sharedBytes: 64 * 1024 * 1024,
  writeMaxBytes: 16 * 1024 * 1024,
  maxTimeoutMs: 24 * 3_600_000,
  bodyTimeoutMs: 15_000,
  streamSilenceMs: 300_000,
  maxConnections: MAX_RPC_CONNECTIONS,
  firstBytesMs: 10_000,
  headersMs: 10_000,
  lingerMs: 5_000,
  idleMs: 600_000,
  maxConcurrentStreams: 1_000,
  ...OPEN_CALL_LIMITS,
};

/** Time for calls after the deadline of a close, to see their signal and answer. */
const LAST_WORDS_MS = 250;

/** Dependencies of a listener. */
export interface RpcListenerDeps extends AnswerDeps {
  routes: (router: ConnectRouter) => void;
  /** 0 lets the system choose. */
  port: number;
  /** The state of grpc.health.v1; default: SERVING from listen to close. */
  health?: HealthState;
  /** With a certificate the port accepts only TLS. */
  certificate?: RpcCertificate | undefined;
  interceptors?: Interceptor[];
  /** Decides by headers who may call; without it everybody may. */
  gate?: Gate;
  /** Files whose types reflection lists besides those of the routed services. */
  reflectedFiles?: readonly DescFile[];
  limits?: Partial<ListenerLimits>;
  /** Whether to keep a new connection. */
  admits?: (socket: Socket) => boolean;
  /** Called with each call that was rejected because others hold too many bytes. */
  onShed?: () => void;
  /** Called with each HTTP/2 connection that was closed for misuse. */
  onMisuse?: () => void;
}

/** A port for RPCs. */
export interface RpcListener {
  /** Opens the port. Fails with the system's error when it cannot be opened. */
  listen(): Promise<{ port: number; host: string }>;
  /**
   * Sends callers elsewhere while the listener goes on taking connections: health says NOT_SERVING, HTTP/2 connections
   * get GOAWAY and finish their calls, HTTP/1.1 answers say `Connection: close`.
   */
  announceClose(): void;
  /** Uses another certificate for new connections, if the port has one. */
  renewCertificate(certificate: RpcCertificate): void;
  /**
   * Closes: health says NOT_SERVING, no new connections, GOAWAY, open calls finish. Calls still open after
   * `deadlineMs` see their signal fire and are cut off. Streams of health and reflection end at once. A second
   * call, made while the first waits, may bring a shorter deadline.
   */
  close(deadlineMs: number): Promise<void>;
}

/** Makes a listener; the port opens with `listen`. */
export function createRpcListener(deps: RpcListenerDeps): RpcListener {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const ownHealth = deps.health === undefined;
  const health = deps.health ?? createHealthState();
  const draining = new AbortController();
  const shutdown = new AbortController();
  setMaxListeners(0, draining.signal, shutdown.signal); // every open call adds a listener

  const held = createOpenCalls(limits);
  const inTurn = createTurns(() => performance.now());
  const rpc = createCalls(deps, { limits, inTurn, health, draining: draining.signal, shutdown: shutdown.signal });
  const farewell = createGracefulClose();
  const closeIdle = () => {
    // The response's close event comes before its connection counts as idle.
    if (draining.signal.aborted) setImmediate(() => port.http1.closeIdleConnections());
  };
  const port = createPort(deps, limits, { held, inTurn }, createAnswers(deps, limits, rpc, farewell, closeIdle));
  const { http1, sessions, sockets } = port;
  const stop = () => {
    const allClosed = new Promise<void>((resolve) => http1.close(() => resolve()));
    draining.abort(shuttingDown());
    port.destroyWaiting();
    for (const session of sessions) session.close();
    return allClosed;
  };
  let closed: Promise<void> | undefined;

  return {
    async listen() {
      const { port } = await open(http1, deps.host, deps.port);
      if (ownHealth) health.set(true);
      return { port, host: deps.host };
    },
    announceClose() {
      health.set(false);
      farewell.say(sessions);
    },
    renewCertificate(renewed) {
      port.renewCertificate(renewed);
    },
    async close(deadlineMs) {
      health.set(false);
      closed ??= stop();
      if (await within(closed, deadlineMs)) return;
      shutdown.abort(shuttingDown());
      if (await within(closed, LAST_WORDS_MS)) return;
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type OpenCalls = ReturnType<typeof createOpenCalls>;

/** The handler of all RPCs: the routed services, health and reflection. */
function createCalls(
  deps: RpcListenerDeps,
  own: {
    readonly limits: ListenerLimits;
    readonly inTurn: InTurn;
    readonly health: HealthState;
    readonly draining: AbortSignal;
    readonly shutdown: AbortSignal;
  },
): RpcHandler {
  const { limits, inTurn, health, draining, shutdown } = own;
  const rpc = createRpcHandler({
    limits,
    inTurn,
    shared: createMessageMemory(limits.sharedBytes, deps.onShed ?? (() => {})),
    interceptors: deps.interceptors ?? [],
    gate: deps.gate,
    shutdown,
    draining,
    onError: deps.onError ?? (() => {}),
    routes(router) {
      deps.routes(router);
      router.service(Health, createHealthService({ state: health, draining }));
      reflectionRoutes(router, { index: () => index, draining });
    },
  });
  const index = createReflectionIndex(rpc.services, [file_google_rpc_error_details, ...(deps.reflectedFiles ?? [])]);
  health.know(rpc.services.map((service) => service.typeName));
  return rpc;
}

/** The servers behind the port. The first bytes of a connection decide which of them takes it. */
function createPort(
  deps: RpcListenerDeps,
  limits: ListenerLimits,
  { held, inTurn }: { readonly held: OpenCalls; readonly inTurn: InTurn },
  answers: Answers,
) {
  const http2 = createHttp2Server((call) =>
    inTurn(() => {
      if (!call.stream.destroyed && !call.stream.closed) answers.stream(call);
    }),
  );
  const sessions = trackSessions(http2, { ...limits, held, onMisuse: () => deps.onMisuse?.() });
  const http1 = createHttp1Server(limits, answers.request);
  const sockets = new Set<Socket>();
  const firstBytes = createProtocolDetection({
    timeoutMs: limits.firstBytesMs,
    http1: takeConnections(http1),
    http2: (socket) => {
      // An HTTP/1.1 server keeps connections open whose peer has ended; their HTTP/2 calls would wait for it for minutes.
      socket.allowHalfOpen = false;
      http2.emit("connection", socket);
    },
  });
  const { certificate } = deps;
  const handshakeMs = limits.firstBytesMs;
  const secure = certificate && createSecureConnections({ certificate, handshakeMs, take: firstBytes.take });
  http1.on("connection", (socket) => {
    if (deps.admits?.(socket) === false) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    if (secure) secure.begin(socket);
    else firstBytes.take(socket);
  });
  return {
    http1,
    sessions,
    sockets,
    renewCertificate: (certificate: RpcCertificate) => secure?.renew(certificate),
    /** Cuts off connections that have not begun a call. */
    destroyWaiting() {
      secure?.destroyWaiting();
      firstBytes.destroyWaiting();
    },
  };
}

function open(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the port has no address"));
      else resolve(address);
    });
  });
}

/** Whether `promise` is fulfilled within `ms`. */
async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
