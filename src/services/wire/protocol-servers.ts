import { createServer as createHttp1, type Server } from "node:http";
import {
  constants,
  createServer as createHttp2,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { oneAtATime } from "../../http/pipelining.js";
import { createOpenCalls, OPEN_CALL_LIMITS, type OpenCallLimits, type OpenCalls } from "./open-calls.js";
import type { NodeRequest, NodeResponse } from "./rpc-handler.js";
import type { RpcLimits } from "./rpc-limits.js";

/** Limits of a listener. Times in ms. */
export interface ListenerLimits extends RpcLimits, OpenCallLimits {
  /** Open connections; more are refused. */
  maxConnections: number;
  /** From the opening of a connection to the bytes that show its protocol. */
  firstBytesMs: number;
  /** For the headers of an HTTP/1.1 request. */
  headersMs: number;
  /** Idle time of a connection without a call. */
  idleMs: number;
  /** Calls at a time on one HTTP/2 connection. */
  maxConcurrentStreams: number;
}

const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Misused calls of one connection after which it is retired, if they outnumber its completed calls. Each second so many
 * are forgotten: clients that cancel calls early stay below, and a call costs some 10 µs.
 */
const MISUSED = { most: 300, forgottenPerSecond: 1_000 };

/** nghttp2's limit of RST_STREAM frames, lifted: it ends a session with all its calls (`trackSessions` is gentler). */
const UNLIMITED_RESETS = { streamResetBurst: 2 ** 31, streamResetRate: 2 ** 31 };

/** Time for a client to disconnect after GOAWAY. */
const RETIRED_MS = 1_000;
/** Time for the calls of a connection that held too much. */
const DROPPED_MS = 10_000;

/**
 * Resets of any kind after which a connection is retired. Node 20 does not know that option: there a session ends after
 * 1,000 frames and 33 more each second, those for streams that we have closed already included, of which nobody tells us.
 * Node 22 and 24 count more and more memory for a session whose streams are reset: after some 80,000 they reject calls
 * with ENHANCE_YOUR_CALM, then end the session.
 */
const MAX_RESETS = Number.parseInt(process.versions.node, 10) < 22 ? 400 : 10_000;

/**
 * The limit of concurrent streams that peers see. Node counts reset streams until its next turn, and resets those beyond
 * the limit with ENHANCE_YOUR_CALM, after which clients give the call up. So the limit is larger than any turn's streams.
 */
const MANY_STREAMS = 1_000_000;

/** Answers a request of either protocol. */
export type Answer = (request: NodeRequest, response: NodeResponse) => void;

/** A request over HTTP/2. */
export interface StreamCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Makes Node's request and response of it, which take longer to make than many an answer. */
  as(answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void): void;
}

/** The HTTP/1.1 server, which does not listen itself. */
export function createHttp1Server(limits: ListenerLimits, answer: Answer): Server {
  const server = createHttp1(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      // Off, since it would break long imports: bodies have limits by kind of call (`timedBody`).
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(2_000, limits.headersMs),
      keepAliveTimeout: Math.min(65_000, limits.idleMs),
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      noDelay: true,
    },
    oneAtATime(answer),
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
export function createHttp2Server(answer: (call: StreamCall) => void): Http2Server {
  let current: Parameters<StreamCall["as"]>[0] = () => {};
  // Has no connections: it makes requests of streams.
  const requests = createHttp2((request, response) => current(request, response));
  const server = createHttp2({
    // In megabytes, for one connection. After a stall of a second, 20,000 streams of a client in a hurry take 16.
    maxSessionMemory: 64,
    maxSessionInvalidFrames: 100,
    maxHeaderListPairs: 100,
    maxSettings: 32,
    ...UNLIMITED_RESETS,
    settings: {
      maxConcurrentStreams: MANY_STREAMS,
      maxHeaderListSize: MAX_HEADER_BYTES,
      initialWindowSize: 1024 * 1024,
      enablePush: false,
    },
  });
  const onStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
  ) => {
    stream.on("error", () => {}); // "close" follows
    setImmediate(() => {
      if (stream.destroyed || stream.closed) return;
      answer({
        stream,
        headers,
        rawHeaders,
        as(answer) {
          current = answer;
          requests.emit("stream", stream, headers, flags, rawHeaders);
        },
      });
    });
  };
  server.on("stream", onStream);
  return server;
}

/** Removes the server's own connection listener, for a caller that chooses the sockets itself. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const own = server.listeners("connection");
  server.removeAllListeners("connection");
  return (socket) => {
    for (const listener of own) Reflect.apply(listener, server, [socket]);
  };
}

/**
 * The open sessions. A session without a stream for `idleMs` is closed.
 *
 * A client whose deadlines run out resets streams as fast as an attacker does (CVE-2023-44487). After a stall of ours we
 * even read the opening and the reset of a stream at the same time. So only two kinds of resets count as misuse: the stream
 * broke the protocol, or it named no deadline and was reset before we could begin to answer. A stream that names a deadline
 * never counts. It gives an attacker nothing: reset early it is not answered, reset later it costs what any call costs.
 *
 * A misused session is retired: it gets GOAWAY, takes no more streams, finishes its calls, and ends; `onMisuse` reports it.
 * nghttp2 drops frames that come after GOAWAY. A misjudged client loses nothing: streams after the one that GOAWAY names
 * do not begin here, and clients send them again.
 */
export function trackSessions(
  server: Http2Server,
  {
    idleMs,
    maxConcurrentStreams,
    onMisuse,
    held = createOpenCalls(OPEN_CALL_LIMITS),
  }: Pick<ListenerLimits, "idleMs" | "maxConcurrentStreams"> & {
    onMisuse: () => void;
    held?: OpenCalls;
  },
): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    const turns = createWorkSpacing();
    let open = 0;
    let ended = 0;
    let reset = 0;
    let misused = 0;
    const recentlyMisused = createLeakyCount(MISUSED.forgottenPerSecond);
    let lastId = 0;
    let isRetired = false;
    const retire = () => {
      isRetired = true;
      // GOAWAY goes out at once, so that nghttp2 stops counting resets. The end waits for two reasons: destroying a session
      // inside its own callback makes Node 20 loop for ever and Node 22 abort; and the client first reads its last answers.
      session.goaway(constants.NGHTTP2_NO_ERROR, lastId);
      const timer = setTimeout(() => session.close(), RETIRED_MS).unref();
      session.once("close", () => clearTimeout(timer));
    };
    held.add(session, () => {
      onMisuse();
      if (!isRetired) retire();
      // Its calls are counted no longer, and some never end by themselves.
      const timer = setTimeout(() => session.destroy(), DROPPED_MS).unref();
      session.once("close", () => clearTimeout(timer));
    });
    session.setLocalWindowSize(4 * 1024 * 1024);
    session.setTimeout(idleMs);
    session.on("timeout", () => {
      if (open === 0) session.close();
    });
    session.on("stream", (stream, headers) => {
      // GOAWAY may wait in the queue. Streams that it does not name must not begin, since the client retries them.
      if (isRetired || open >= maxConcurrentStreams) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      open++;
      lastId = stream.id ?? lastId;
      held.opened(session, stream);
      const turn = turns.now();
      stream.once("close", () => {
        open--;
        if (isRetired || session.destroyed) return;
        const { rstCode } = stream;
        if (rstCode === constants.NGHTTP2_NO_ERROR) ended++;
        else if (PROTOCOL_FAULTS.has(rstCode) || (turn === turns.now() && !namesDeadline(headers))) {
          misused++;
          recentlyMisused.add();
        }
        if (rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded) reset++;
        const isMisused = recentlyMisused.count() > MISUSED.most && misused > ended;
        if (isMisused) onMisuse();
        if (isMisused || reset > MAX_RESETS) retire();
      });
    });
  });
  server.on("sessionError", () => {});
  return sessions;
}

/** nghttp2's reset codes for protocol errors of the peer. */
const PROTOCOL_FAULTS: ReadonlySet<number | undefined> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
]);

function namesDeadline(headers: IncomingHttpHeaders): boolean {
  return headers["grpc-timeout"] !== undefined || headers["connect-timeout-ms"] !== undefined;
}

/** A counter that forgets so many each second. */
function createLeakyCount(perSecond: number): { add(): void; count(): number } {
  let count = 0;
  let at = performance.now();
  const forget = () => {
    const now = performance.now();
    count = Math.max(0, count - ((now - at) / 1000) * perSecond);
    at = now;
  };
  return {
    add() {
      forget();
      count++;
    },
    count: () => count,
  };
}

/** Counts turns of the event loop while they are needed. */
function createWorkSpacing(): { now(): number } {
  let turn = 0;
  let isAsked = false;
  const next = () => {
    turn++;
    isAsked = false;
  };
  return {
    now() {
      if (!isAsked) setImmediate(next);
      isAsked = true;
      return turn;
    },
  };
}
