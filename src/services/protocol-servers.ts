import { createServer as createHttp1, type Server } from "node:http";
import { constants, createServer as createHttp2, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { NodeRequest, NodeResponse, RpcLimits } from "./rpc-handler.js";

/** Limits of a listener. Times in ms. */
export interface ListenerLimits extends RpcLimits {
  /** Open connections; more are refused. */
  maxConnections: number;
  /** From the opening of a connection to the bytes that tell its protocol. */
  firstBytesMs: number;
  /** For the headers of an HTTP/1.1 request. */
  headersMs: number;
  /** How long a caller may go on sending a body nobody reads any more, before it is cut off. */
  lingerMs: number;
  /** How long a caller may leave an answer, or the rest of one, where it is. */
  stallMs: number;
  /** How long a connection may stay open without a call. */
  idleMs: number;
  /** Calls at a time on one HTTP/2 connection. */
  maxConcurrentStreams: number;
}

const MAX_HEADER_BYTES = 16 * 1024;

/** Calls given up on one connection after which it is closed, if they are more than those that came to an end. */
const MAX_RESETS = 200;

/** Answers a request of either protocol. */
export type Answer = (request: NodeRequest, response: NodeResponse) => void;

/** The HTTP/1.1 server, not listening. */
export function createHttp1Server(limits: ListenerLimits, answer: Answer): Server {
  const server = createHttp1(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      // Off, as it would cut imports: bodies have limits by kind of call (`timedBody`).
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(2_000, limits.headersMs),
      keepAliveTimeout: Math.min(65_000, limits.idleMs),
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      noDelay: true,
    },
    answer,
  );
  server.maxConnections = limits.maxConnections;
  server.maxHeadersCount = 100;
  return server;
}

/**
 * The HTTP/2 server; it gets its connections by `emit("connection")`. A request is answered in the next turn of the event
 * loop, and not at all when it is reset by then: a peer that opens and resets streams as fast as it can pays more for
 * each than we do (CVE-2023-44487; the work of a call is some 1 ms, that of a stream some 5 µs).
 */
export function createHttp2Server(limits: ListenerLimits, answer: Answer): Http2Server {
  return createHttp2(
    {
      // In megabytes, for one connection.
      maxSessionMemory: 16,
      maxSessionInvalidFrames: 100,
      maxHeaderListPairs: 100,
      maxSettings: 32,
      settings: {
        maxConcurrentStreams: limits.maxConcurrentStreams,
        maxHeaderListSize: MAX_HEADER_BYTES,
        initialWindowSize: 1024 * 1024,
        enablePush: false,
      },
    },
    (request, response) => {
      setImmediate(() => {
        if (!request.stream.destroyed) answer(request, response);
      });
    },
  );
}

/** Takes the server's own listener for connections off it, for a caller that decides which sockets it gets. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const own = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => {
    for (const listener of own) Reflect.apply(listener, server, [socket]);
  };
}

/**
 * The open sessions. One that has had no stream for `idleMs` is closed, and so is one that resets most of them, or more
 * in one turn of the event loop than it can have waited for.
 */
export function trackSessions(
  server: Http2Server,
  {
    idleMs,
    maxConcurrentStreams,
    onMisuse,
  }: Pick<ListenerLimits, "idleMs" | "maxConcurrentStreams"> & { onMisuse: (address: string) => void },
): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    let open = 0;
    let ended = 0;
    let reset = 0;
    let inTurn = 0;
    const address = session.socket.remoteAddress ?? "";
    const cut = () => {
      if (session.destroyed) return;
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
      onMisuse(address);
    };
    session.setLocalWindowSize(4 * 1024 * 1024);
    session.setTimeout(idleMs, () => {
      if (open === 0) session.close();
    });
    session.on("stream", (stream) => {
      open++;
      if (++inTurn === 1)
        setImmediate(() => {
          inTurn = 0;
        });
      // So many are open at the most, and none that came in this turn has been answered: the others were reset.
      else if (inTurn > 2 * maxConcurrentStreams) cut();
      stream.once("close", () => {
        open--;
        if (stream.rstCode === constants.NGHTTP2_NO_ERROR) ended++;
        else if (++reset > MAX_RESETS && reset > ended) cut();
      });
    });
  });
  // A peer that breaks the protocol ends its own session; that is no fault of ours.
  server.on("sessionError", () => {});
  return sessions;
}
