import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { Unavailable } from "../../domain/errors.js";
import { toConnectError } from "../errors/errors.js";
import { refuseCall } from "./error-answers.js";
import { MAX_HEADER_BYTES } from "./http1-server.js";
import type { ListenerLimits } from "./limits.js";
import type { InTurn } from "./turns.js";
import { lingerOnStream } from "./unread-body.js";

/**
 * Resets of streams after which a connection is retired, whoever reset them. Node 20 ends a session, with all its calls, after
 * 1,000 resets and 33 more each second. Node 22 and 24 count ever more memory for one whose streams are reset, and reject its
 * calls after some 80,000. Clients whose deadlines run out reach either; a new connection costs them 1 ms.
 */
const MAX_RESETS = 400;

/** Node's own limit of resets, lifted where it can be: what one read brings is counted before we see any of it. */
const UNLIMITED_RESETS = { streamResetBurst: 2 ** 31, streamResetRate: 2 ** 31 };

/** For a client to disconnect after GOAWAY. */
const RETIRED_MS = 1_000;

/**
 * The limit of concurrent streams that peers see. Node counts reset streams until its next turn, and resets those beyond
 * the limit with ENHANCE_YOUR_CALM, after which clients give the call up. So the limit is larger than any turn's streams.
 */
const MANY_STREAMS = 1_000_000;

/** Interval at which unread answers are counted. 8,000 calls take some 0.2 ms. */
const COUNT_EVERY_MS = 20;

/** A request over HTTP/2. */
export interface StreamCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Makes Node's request and response of it, which take longer to make than many an answer. */
  as(answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void): void;
}

/** HTTP/2 on sockets of others. */
export interface Http2Connections {
  take(socket: Socket): void;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/**
 * A call is answered in the next turn of the event loop, and not at all when it is reset by then: a peer that opens and resets
 * streams as fast as it can pays more for each than we do (CVE-2023-44487; the work of a call is some 1 ms, that of a stream 5 µs).
 * A call beyond a limit of calls is refused with REFUSED_STREAM: it did not begin, and clients may send it again (RFC 9113, 8.7).
 * While too many answers are unread, calls get UNAVAILABLE.
 */
export function createHttp2Connections(
  limits: ListenerLimits,
  inTurn: InTurn,
  answer: (call: StreamCall) => void,
  onShed: () => void,
): Http2Connections {
  const sessions = new Set<ServerHttp2Session>();
  const calls = new Set<ServerHttp2Stream>();
  const unreadBytes = createUnreadCount(calls);
  const asRequests = createRequests();
  const server = createServer({
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
  server.on("sessionError", () => {}); // the session's end tells
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.setLocalWindowSize(4 * 1024 * 1024);
    let open = 0;
    let resets = 0;
    let lastId = 0;
    let isRetired = false;
    session.setTimeout(limits.idleMs);
    session.on("timeout", () => {
      if (open === 0) session.close();
    });
    const onStream = (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      flags: number,
      rawHeaders: readonly string[],
    ) => {
      stream.on("error", () => {}); // "close" follows
      // GOAWAY may wait in the queue. Streams that it does not name must not begin, since the client sends them again.
      if (isRetired || open >= limits.maxConcurrentStreams || calls.size >= limits.openCalls) return refuse(stream);
      open++;
      lastId = stream.id ?? lastId;
      calls.add(stream);
      endWhenStalled(stream, limits.stallMs);
      let drop = () => {};
      stream.once("close", () => {
        drop();
        open--;
        calls.delete(stream);
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded) resets++;
        if (resets <= MAX_RESETS || isRetired || session.destroyed) return;
        isRetired = true;
        retire(session, lastId);
      });
      const begin = () => {
        if (stream.destroyed || stream.closed) return;
        const as: StreamCall["as"] = (answer) => asRequests(answer, [stream, headers, flags, rawHeaders]);
        if (unreadBytes() <= limits.unreadBytes) return answer({ stream, headers, rawHeaders, as });
        onShed();
        lingerOnStream(stream, limits.lingerMs);
        as((request, response) => refuseCall(request, response, tooMuchUnread()));
      };
      setImmediate(() => {
        if (!stream.destroyed && !stream.closed) drop = inTurn(begin);
      });
    };
    session.on("stream", onStream);
  });
  return {
    sessions,
    take(socket) {
      // An HTTP/1.1 server keeps connections open whose peer has ended; their calls would wait for it for minutes.
      socket.allowHalfOpen = false;
      server.emit("connection", socket);
    },
  };
}

function tooMuchUnread() {
  return toConnectError(new Unavailable("too many answers are unread", undefined, { shed: "call_bytes" }));
}

function refuse(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

/** Closes a stream whose peer opens no window for its answer. Silence without data to send is no stall. */
function endWhenStalled(stream: ServerHttp2Stream, ms: number): void {
  stream.setTimeout(ms);
  stream.on("timeout", () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/** The connection takes no more calls, finishes those that it has, and ends; its client sends the next ones on another one. */
function retire(session: ServerHttp2Session, lastId: number): void {
  // GOAWAY goes out at once, so that nghttp2 counts no more resets: it drops frames that come after it. The end waits for two
  // reasons: destroying a session inside its own callback makes Node 20 loop for ever and Node 22 abort; and the client first
  // reads its last answers.
  session.goaway(constants.NGHTTP2_NO_ERROR, lastId);
  const timer = setTimeout(() => session.close(), RETIRED_MS).unref();
  session.once("close", () => clearTimeout(timer));
}

/** Bytes of answers that wait for their callers, as of some milliseconds ago. */
function createUnreadCount(calls: ReadonlySet<ServerHttp2Stream>): () => number {
  let bytes = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - countedAt < COUNT_EVERY_MS) return bytes;
    countedAt = now;
    bytes = 0;
    for (const { writableLength } of calls) bytes += writableLength;
    return bytes;
  };
}

type Made = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Makes requests of streams. Only a server of Node's does so, which has no connections here. */
function createRequests() {
  let current: Made = () => {};
  const server = createServer((request, response) => current(request, response));
  return (made: Made, stream: readonly unknown[]) => {
    current = made;
    server.emit("stream", ...stream);
  };
}
