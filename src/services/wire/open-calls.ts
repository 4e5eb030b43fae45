import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";

/** Limits on what calls over HTTP/2 hold, over all connections. */
export interface OpenCallLimits {
  /** Open calls. Each takes some 8 KiB, even without any message. */
  readonly openCalls: number;
  /** Bytes of unread answers. */
  readonly unreadBytes: number;
  /** Time for a caller to leave an answer, or its rest, unread, ms; then the call ends. */
  readonly stallMs: number;
}

export const OPEN_CALL_LIMITS: OpenCallLimits = {
  openCalls: 8_000, // eight connections with as many calls as each may have
  unreadBytes: 64 * 1024 * 1024,
  stallMs: 30_000,
};

/** Interval at which unread answers are counted, ms. */
const COUNT_EVERY_MS = 100;
/** Streams closed at a time: each takes some 50 µs. */
const CLOSED_AT_ONCE = 50;

export interface OpenCalls {
  /** Calls `drop`, once, when the connection holds most of a resource that ran out: it must accept no more calls. */
  add(session: Http2Session, drop: () => void): void;
  opened(session: Http2Session, stream: ServerHttp2Stream): void;
}

interface Connection {
  readonly streams: Set<ServerHttp2Stream>;
  unreadBytes: number;
  readonly drop: () => void;
}

/**
 * Counts open calls and unread answers of all connections. When there are too many of either, the connection that holds most
 * takes no more calls and is closed soon.
 */
export function createOpenCalls(limits: OpenCallLimits): OpenCalls {
  const connections = new Map<Http2Session, Connection>();
  /** Streams whose answer was unread at some count: others need no timer. */
  const watched = new WeakSet<ServerHttp2Stream>();
  let openCalls = 0;
  let timer: NodeJS.Timeout | undefined;

  const watch = (stream: ServerHttp2Stream) => {
    if (watched.has(stream)) return;
    watched.add(stream);
    endWhenStalled(stream, limits.stallMs);
  };

  const remove = (session: Http2Session) => {
    const connection = connections.get(session);
    if (connection === undefined) return;
    connections.delete(session);
    openCalls -= connection.streams.size;
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const dropLargest = (sizeOf: (connection: Connection) => number) => {
    const sizes = [...connections].map(([session, connection]) => ({ session, connection, size: sizeOf(connection) }));
    const { session, connection } = sizes.reduce((most, one) => (one.size > most.size ? one : most));
    remove(session);
    for (const stream of connection.streams) watch(stream);
    connection.drop();
    closeWaiting(connection.streams);
  };

  const count = () => {
    let total = 0;
    for (const connection of connections.values()) {
      connection.unreadBytes = 0;
      for (const stream of connection.streams) {
        if (stream.writableLength === 0) continue;
        connection.unreadBytes += stream.writableLength;
        watch(stream);
      }
      total += connection.unreadBytes;
    }
    if (total > limits.unreadBytes) dropLargest(({ unreadBytes }) => unreadBytes);
  };

  return {
    add(session, drop) {
      connections.set(session, { drop, streams: new Set(), unreadBytes: 0 });
      session.once("close", () => remove(session));
      timer ??= setInterval(count, COUNT_EVERY_MS).unref();
    },
    opened(session, stream) {
      const connection = connections.get(session);
      if (connection === undefined) return;
      connection.streams.add(stream);
      openCalls++;
      stream.once("close", () => {
        connection.streams.delete(stream);
        if (connections.has(session)) openCalls--;
      });
      if (openCalls > limits.openCalls) dropLargest(({ streams }) => streams.size);
    },
  };
}

/** Closes a stream whose peer opens no window for its answer. */
function endWhenStalled(stream: ServerHttp2Stream, ms: number): void {
  stream.setTimeout(ms);
  stream.on("timeout", () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/** Closes the calls that wait for their caller, a few at a time; calls being answered continue. */
function closeWaiting(streams: ReadonlySet<ServerHttp2Stream>): void {
  const left = [...streams];
  const closeSome = () => {
    for (const stream of left.splice(0, CLOSED_AT_ONCE))
      if (!stream.destroyed && (!stream.readableEnded || stream.writableLength > 0))
        stream.close(constants.NGHTTP2_CANCEL);
    if (left.length > 0) setImmediate(closeSome);
  };
  setImmediate(closeSome);
}
