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
import type { Gate } from "../access/authorization.js";
import { shuttingDown } from "../errors/error-info.js";
import { createHealthService, createHealthState, type HealthState } from "../standard/health.js";
import { reflectionRoutes } from "../standard/reflection.js";
import { createReflectionIndex } from "../standard/reflection-index.js";
import { type AnswerDeps, type Answers, createAnswers } from "./answer-requests.js";
import { createHttp1Server, takeConnections } from "./http1-server.js";
import { createHttp2Connections } from "./http2-server.js";
import { LIMITS, type ListenerLimits } from "./limits.js";
import { createProtocolDetection } from "./protocol-detection.js";
import { createMessageMemory } from "./request-body.js";
import { createRpcHandler, type RpcHandler } from "./rpc-handler.js";
import { createSecureConnections, type RpcCertificate } from "./secure-connections.js";
import { createTurns, type InTurn } from "./turns.js";

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
  const limits = { ...LIMITS, ...deps.limits };
  const ownHealth = deps.health === undefined;
  const health = deps.health ?? createHealthState();
  const draining = new AbortController();
  const shutdown = new AbortController();
  setMaxListeners(0, draining.signal, shutdown.signal); // every open call adds a listener

  const inTurn = createTurns(() => performance.now());
  const rpc = createCalls(deps, { limits, inTurn, health, draining: draining.signal, shutdown: shutdown.signal });
  const closeIdle = () => {
    // The response's close event comes before its connection counts as idle.
    if (draining.signal.aborted) setImmediate(() => http1.closeIdleConnections());
  };
  const answers = createAnswers(deps, limits, rpc, closeIdle);
  const { http1, sessions, sockets, ...port } = createPort(deps, limits, inTurn, answers);
  // GOAWAY names the last accepted stream, so that callers know which calls to retry. The GOAWAY that refuses nothing yet
  // (RFC 9113, 6.8) cannot be used: after it nghttp2 leaves streams without any answer.
  const closeSessions = () => {
    for (const session of sessions) session.close();
  };
  const stop = () => {
    const allClosed = new Promise<void>((resolve) => http1.close(() => resolve()));
    draining.abort(shuttingDown());
    port.destroyWaiting();
    closeSessions();
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
      answers.closeConnections();
      closeSessions();
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
function createPort(deps: RpcListenerDeps, limits: ListenerLimits, inTurn: InTurn, answers: Answers) {
  const { take, sessions } = createHttp2Connections(limits, inTurn, answers.stream, () => deps.onShed?.());
  const http1 = createHttp1Server(limits, (request, response) =>
    inTurn(() => {
      if (!response.destroyed) answers.request(request, response);
    }),
  );
  const sockets = new Set<Socket>();
  const firstBytes = createProtocolDetection({
    timeoutMs: limits.firstBytesMs,
    http1: takeConnections(http1),
    http2: take,
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
