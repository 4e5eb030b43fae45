/**
 * The body of a call while it comes in, within its limits of time and memory, and cut into messages where the protocol
 * gives each a prefix. Connect allocates as many bytes as a prefix announces, whether they come or not, and counts all pieces
 * of a message again with each new one. Here memory grows with what came, and each byte is copied a few times.
 */
import type { Readable } from "node:stream";
import { Code, type ConnectError } from "@connectrpc/connect";
import { Unavailable } from "../../domain/errors.js";
import { unlessAborted } from "../calls/unless-aborted.js";
import { messageTooLarge, refusal } from "../errors/error-info.js";
import { toConnectError } from "../errors/errors.js";
import type { RpcLimits } from "./limits.js";

/** Bytes of messages that all calls share. */
export interface MessageMemory {
  /**
   * Takes so many bytes, or releases them for a negative number. Returns false, and takes nothing, when too few are
   * free.
   */
  take(bytes: number): boolean;
}

/** Calls `onFull` each time too few bytes are free. */
export function createMessageMemory(total: number, onFull: () => void): MessageMemory {
  let taken = 0;
  return {
    take(bytes) {
      if (bytes > 0 && taken + bytes > total) {
        onFull();
        return false;
      }
      taken += bytes;
      return true;
    },
  };
}

/** Bytes of each call that are free of charge. */
const OWN_BYTES = 4096;

/** Makes the error for a compressed message of a call that names no compression; undefined for a call that does. */
export type Uncompressed = (() => ConnectError) | undefined;

export interface BodyRules {
  readonly limits: Pick<RpcLimits, "readMaxBytes" | "bodyTimeoutMs" | "streamSilenceMs">;
  readonly shared: MessageMemory;
  /** The caller may send many messages. */
  readonly isStream: boolean;
  /** Of messages with a prefix each; undefined for a body that is one message. */
  readonly framing: { readonly uncompressed: Uncompressed } | undefined;
  /** When the call may begin to work on what came. */
  readonly inTurn: (work: () => void) => void;
}

/**
 * Reads a body. Until `release`, bytes count against the shared ones: all of a body that is one message, otherwise the message
 * that comes and two before it, which may still be in use. Fails with UNAVAILABLE when others hold too much, and with
 * DEADLINE_EXCEEDED when the body is late.
 */
export function readBody(
  chunks: AsyncIterable<Uint8Array>,
  { limits, shared, isStream, framing, inTurn }: BodyRules,
): { readonly body: AsyncIterable<Uint8Array>; release(): void } {
  let taken = 0;
  let isReleased = false;
  const hold = (bytes: number) => {
    if (isReleased) return;
    const more = Math.max(0, bytes - OWN_BYTES) - taken;
    if (!shared.take(more)) throw tooMany();
    taken += more;
  };
  const inTime = timed(chunks, isStream ? limits.streamSilenceMs : limits.bodyTimeoutMs, isStream, inTurn);
  return {
    body: framing === undefined ? counted(inTime, hold) : messages(inTime, limits.readMaxBytes, framing, hold),
    release() {
      isReleased = true;
      shared.take(-taken);
      taken = 0;
    },
  };
}

/** The chunks of a request. It goes on when nobody reads further: the answer comes first, then `unread-body.ts` ends it. */
export function chunksOf(request: Readable): AsyncIterable<Uint8Array> {
  return request.iterator({ destroyOnReturn: false });
}

/** The same bytes again, and what follows them. */
export async function* chunksAndRest(
  chunks: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [],
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
  yield* rest;
}

/**
 * The whole body must come within `ms`. With `perChunk` each chunk must come within `ms` after it is asked for: a long import
 * may last, and the handler's own time does not count.
 */
async function* timed(
  body: AsyncIterable<Uint8Array>,
  ms: number,
  perChunk: boolean,
  inTurn: BodyRules["inTurn"],
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const late = new AbortController();
  const begin = () => setTimeout(() => late.abort(tooLate()), ms).unref();
  let timer = begin();
  try {
    for (let isFirst = true; ; isFirst = false) {
      if (perChunk && !isFirst) timer = begin();
      const chunk = await unlessAborted(late.signal, () => chunks.next());
      if (perChunk) clearTimeout(timer);
      if (chunk.done === true) return;
      if (isFirst) await new Promise<void>((resolve) => inTurn(resolve));
      yield chunk.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: where a chunk is late, the end waits for it.
    chunks.return?.()?.then(undefined, () => {});
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  hold: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    hold(bytes);
    yield chunk;
  }
}

/** The prefix of each message of gRPC, gRPC-Web and Connect streams: flags, and the length in four bytes. */
export const PREFIX_BYTES = 5;
const FIRST_BYTES = 16 * 1024;

/** Each message with its prefix. Refuses what is none. */
async function* messages(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
  { uncompressed }: { readonly uncompressed: Uncompressed },
  hold: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const message = createGrowingBytes();
  let before: readonly [number, number] = [0, 0];
  const done = (bytes: Uint8Array) => {
    hold(bytes.length + before[0] + before[1]);
    before = [bytes.length, before[0]];
    return bytes;
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (message.size === 0) {
        const rest = chunk.subarray(at);
        const fault = prefixFault(rest, mostBytes, uncompressed);
        if (fault !== undefined) throw fault;
        const whole = wholeLength(rest);
        if (whole <= rest.length) {
          yield done(rest.subarray(0, whole));
          at += whole;
          continue;
        }
      }
      const wanted = wholeLength(message.bytes());
      const end = Math.min(chunk.length, at + wanted - message.size);
      hold(message.size + end - at + before[0] + before[1]); // a refused body takes no memory
      message.add(chunk.subarray(at, end), wanted);
      at = end;
      if (message.size < PREFIX_BYTES) continue;
      const fault = prefixFault(message.bytes(), mostBytes, uncompressed);
      if (fault !== undefined) throw fault;
      if (message.size === wholeLength(message.bytes())) yield done(message.take());
    }
  }
  if (message.size > 0) throw truncated(message.bytes());
}

/** Bytes of the message that begins so, or of its prefix while that is not there. */
function wholeLength(bytes: Uint8Array): number {
  if (bytes.length < PREFIX_BYTES) return PREFIX_BYTES;
  return PREFIX_BYTES + lengthIn(bytes);
}

function lengthIn(message: Uint8Array): number {
  return new DataView(message.buffer, message.byteOffset).getUint32(1);
}

const COMPRESSED = 0x01;
/** The flags of the three protocols: compressed, end of a Connect stream, trailers of gRPC-Web. */
const FLAGS = COMPRESSED | 0x02 | 0x80;

const NOT_FRAMED =
  "The message is not framed: accepted are messages that each have a prefix of one byte of flags and four bytes of length";

/**
 * The error for a message that begins so. JSON and the binary form of a message begin with other bytes than flags, and their first
 * bytes would be read as a length of gigabytes.
 */
function prefixFault(bytes: Uint8Array, mostBytes: number, uncompressed: Uncompressed): ConnectError | undefined {
  const flags = bytes[0] ?? 0;
  if ((flags & ~FLAGS) !== 0) return refusal(NOT_FRAMED, Code.InvalidArgument, "MALFORMED_CALL");
  const fault = (flags & COMPRESSED) === 0 ? undefined : uncompressed?.();
  if (fault !== undefined || bytes.length < PREFIX_BYTES) return fault;
  return lengthIn(bytes) > mostBytes ? messageTooLarge(mostBytes) : undefined;
}

/** The error for a body that ended and is not a sequence of whole messages. */
export function wholeBodyFault(
  body: Uint8Array,
  mostBytes: number,
  uncompressed: Uncompressed,
): ConnectError | undefined {
  for (let rest = body; rest.length > 0; rest = rest.subarray(wholeLength(rest))) {
    const fault = prefixFault(rest, mostBytes, uncompressed);
    if (fault !== undefined) return fault;
    if (rest.length < wholeLength(rest)) return truncated(rest);
  }
  return undefined;
}

function truncated(bytes: Uint8Array): ConnectError {
  const text =
    bytes.length < PREFIX_BYTES
      ? "protocol error: incomplete envelope"
      : `protocol error: promised ${lengthIn(bytes)} bytes, received ${bytes.length - PREFIX_BYTES}`;
  return refusal(text, Code.InvalidArgument, "MALFORMED_CALL");
}

/** A buffer that doubles when it is full, up to the needed size. */
function createGrowingBytes() {
  let buffer = Buffer.alloc(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    bytes: () => buffer.subarray(0, size),
    add(more: Uint8Array, wanted: number) {
      if (size + more.length > buffer.length) {
        const twice = Math.max(FIRST_BYTES, 2 * buffer.length, size + more.length);
        const larger = Buffer.allocUnsafeSlow(size === 0 ? twice : Math.min(twice, wanted));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      buffer.set(more, size);
      size += more.length;
    },
    /** Returns all bytes; the next ones go into a new buffer. */
    take(): Uint8Array {
      const all = buffer.subarray(0, size);
      buffer = Buffer.alloc(0);
      size = 0;
      return all;
    },
  };
}

function tooMany(): ConnectError {
  return toConnectError(new Unavailable("too many large messages are being read", undefined, { shed: "call_bytes" }));
}

export function tooLate(): ConnectError {
  return refusal("the request body did not arrive in time", Code.DeadlineExceeded, "BODY_TIMEOUT");
}
