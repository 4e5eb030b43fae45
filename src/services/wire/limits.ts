/** Limits of the RPC port. Times in ms. */

/** Limits on the cost of a call. */
export interface RpcLimits {
  /** Bytes of one message received, after decompression. */
  readMaxBytes: number;
  /** Bytes of messages that are read or processed at a time, over all calls, besides a few KiB of each. */
  sharedBytes: number;
  /** Bytes of one message sent. */
  writeMaxBytes: number;
  /** Longest deadline, a whole number; one that a caller sets beyond it counts as this. */
  maxTimeoutMs: number;
  /** For the body of a call with one request. */
  bodyTimeoutMs: number;
  /** Maximum silence of a caller that streams requests. */
  streamSilenceMs: number;
  /** For a caller to keep sending a body that is no longer read, before it is disconnected. */
  lingerMs: number;
}

/** Limits of a listener. */
export interface ListenerLimits extends RpcLimits {
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
  /** Calls at a time on all HTTP/2 connections. Each takes some 8 KiB, even without any message. */
  openCalls: number;
  /** Bytes of answers that callers have not read, on all HTTP/2 connections. */
  unreadBytes: number;
  /** For a caller to leave an answer, or its rest, unread. */
  stallMs: number;
}

const MIB = 1024 * 1024;

export const LIMITS: ListenerLimits = {
  readMaxBytes: 4 * MIB,
  sharedBytes: 64 * MIB,
  writeMaxBytes: 16 * MIB,
  maxTimeoutMs: 24 * 3_600_000,
  bodyTimeoutMs: 15_000,
  streamSilenceMs: 300_000,
  lingerMs: 5_000,
  maxConnections: 2_000,
  firstBytesMs: 10_000,
  headersMs: 10_000,
  idleMs: 600_000,
  maxConcurrentStreams: 1_000,
  openCalls: 8_000,
  unreadBytes: 64 * MIB,
  stallMs: 30_000,
};
