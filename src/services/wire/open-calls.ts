import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { type Caller, createCallScheduler } from "./call-scheduler.js";

/** Limits on waiting work of HTTP/2 connections, over all connections unless stated otherwise. */
export interface OpenCallLimits {
  /** Open calls. Each takes some 8 KiB, even without any message. */
  readonly openCalls: number;
  /** Bytes of unread answers. */
  readonly unreadBytes: number;
  /** Bytes of unread answers of one connection above which none of its other calls begins. */
  readonly unreadBytesPerConnection: number;
  /** Time for a caller to leave an answer, or its rest, unread, ms; then the call ends. */
  readonly stallMs: number;
}

export const OPEN_CALL_LIMITS: OpenCallLimits = {
  openCalls: 8_000, // eight connections with as many calls as each may have
  unreadBytes: 64 * 1024 * 1024,
  unreadBytesPerConnection: 1024 * 1024,
  stallMs: 30_000,
};

/** Interval at which unread answers are counted, ms. */
const COUNT_EVERY_MS = 100;
/** Streams closed at a time: each takes some 50 µs. */
const CLOSED_AT_ONCE = 50;

export interface OpenCalls {
  /** Calls `drop`, once, when the connection holds most of a resource that ran out: it must accept no more calls. */
  add(session: Http2Session, address: string, drop: () => void): void;
  opened(session: Http2Session, stream: ServerHttp2Stream): void;
  /** Runs the work of a call in its turn. */
  run(session: Http2Session | undefined, work: () => void): void;
}

interface Connection extends Caller {
  isBlocked: boolean;
  readonly streams: Set<ServerHttp2Stream>;
  unreadBytes: number;
  readonly drop: () => void;
}

/**
 * Counts open calls and unread answers of all connections. When there are too many of either, the address that holds
 * most loses its connection that holds most. So an attacker pays, and a caller with few calls is safe.
 */
export function createOpenCalls(limits: OpenCallLimits, now: () => number): OpenCalls {
  const turns = createCallScheduler(now);
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
    turns.forget(connection);
    openCalls -= connection.streams.size;
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const dropLargest = (sizeOf: (connection: Connection) => number) => {
    const largest = largestOf(connections, sizeOf);
    if (largest === undefined) return;
    const [session, { streams, drop }] = largest;
    remove(session);
    for (const stream of streams) watch(stream);
    drop();
    closeWaiting(streams);
  };

  const count = () => {
    let total = 0;
    for (const connection of connections.values()) {
      let bytes = 0;
      for (const stream of connection.streams) {
        const unread = stream.writableLength;
        if (unread === 0) continue;
        bytes += unread;
        watch(stream);
      }
      total += bytes;
      connection.unreadBytes = bytes;
      const wasBlocked = connection.isBlocked;
      connection.isBlocked = bytes > limits.unreadBytesPerConnection;
      if (wasBlocked && !connection.isBlocked) turns.unblock(connection);
    }
    if (total > limits.unreadBytes) dropLargest(({ unreadBytes }) => unreadBytes);
  };

  return {
    add(session, address, drop) {
      connections.set(session, { address, drop, isBlocked: false, streams: new Set(), unreadBytes: 0 });
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
    run(session, work) {
      const connection = session && connections.get(session);
      if (connection === undefined) work();
      else turns.run(connection, work);
    },
  };
}

/** Closes a stream whose peer opens no window for its answer. */
function endWhenStalled(stream: ServerHttp2Stream, ms: number): void {
  stream.setTimeout(ms, () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/** The connection that holds most, of the address that holds most. */
function largestOf(
  connections: ReadonlyMap<Http2Session, Connection>,
  sizeOf: (connection: Connection) => number,
): readonly [Http2Session, Connection] | undefined {
  const byAddress = new Map<string, number>();
  for (const connection of connections.values())
    byAddress.set(connection.address, (byAddress.get(connection.address) ?? 0) + sizeOf(connection));
  const most = Math.max(...byAddress.values());
  let largest: readonly [Http2Session, Connection] | undefined;
  for (const entry of connections)
    if (byAddress.get(entry[1].address) === most && (largest === undefined || sizeOf(entry[1]) > sizeOf(largest[1])))
      largest = entry;
  return largest;
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
