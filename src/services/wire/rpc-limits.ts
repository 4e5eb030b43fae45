/** Limits on the cost of a call. */
export interface RpcLimits {
  /** Bytes of one message received, after decompression. */
  readMaxBytes: number;
  /** Bytes of messages that are read or processed at a time, over all calls, besides a few KiB of each. */
  sharedBytes: number;
  /** Bytes of one message sent. */
  writeMaxBytes: number;
  /** Longest deadline in ms, a whole number; one that a caller sets beyond it counts as this. */
  maxTimeoutMs: number;
  /** Time for the body of a call with one request, in ms. */
  bodyTimeoutMs: number;
  /** Maximum silence of a caller that streams requests, in ms. */
  streamSilenceMs: number;
  /** Time for a caller to keep sending a body that is no longer read, before it is disconnected, in ms. */
  lingerMs: number;
}
