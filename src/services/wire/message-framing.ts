import { Code, type ConnectError } from "@connectrpc/connect";
import { refusal } from "../errors/error-info.js";

/** The prefix of each message of a stream, in all three protocols: flags, and the length in four bytes. */
const PREFIX_BYTES = 5;
const FIRST_BYTES = 16 * 1024;

const COMPRESSED = 0x01;
/** The flags of the three protocols: compressed, end of a Connect stream, trailers of gRPC-Web. */
const FLAGS = COMPRESSED | 0x02 | 0x80;

/** Makes the error for a compressed message of a call that names no compression; undefined for a call that does. */
export type Uncompressed = (() => ConnectError) | undefined;

/**
 * The error for a message that begins with `flags`, if these are none. JSON and the binary form of a message begin with
 * other bytes. Their first bytes would be read as a length of gigabytes.
 */
export function flagsFault(flags: number | undefined, uncompressed: Uncompressed): ConnectError | undefined {
  if (flags === undefined) return undefined;
  if ((flags & ~FLAGS) !== 0) return refusal(NOT_FRAMED, Code.InvalidArgument, "MALFORMED_CALL");
  return (flags & COMPRESSED) === 0 ? undefined : uncompressed?.();
}

const NOT_FRAMED =
  "The message is not framed: accepted are messages that each have a prefix of one byte of flags and four bytes of length";

/**
 * Splits a stream of bytes into messages, each with its prefix. Connect allocates as many bytes as a prefix announces,
 * whether they come or not. It also counts all pieces of a message again with each new one, which is slow for many small
 * pieces. Here memory grows with the received bytes, and each byte is copied a few times. A message of more than
 * `mostBytes` passes piece by piece, and Connect refuses it. Throws for a message without a prefix and for wrong flags.
 */
export async function* framedMessages(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
  uncompressed?: Uncompressed,
): AsyncGenerator<Uint8Array, void, undefined> {
  const message = createGrowingBytes();
  let isRefused = false;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length && !isRefused; ) {
      const fault = message.size === 0 ? flagsFault(chunk[at], uncompressed) : undefined;
      if (fault !== undefined) throw fault;
      const whole = message.size === 0 ? wholeLength(chunk, at) : 0;
      if (whole > 0 && whole <= PREFIX_BYTES + mostBytes) {
        yield chunk.subarray(at, at + whole);
        at += whole;
        continue;
      }
      const wanted = message.size < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + message.lengthInPrefix();
      const end = Math.min(chunk.length, at + wanted - message.size);
      message.add(chunk.subarray(at, end), wanted);
      at = end;
      if (message.size < PREFIX_BYTES) continue;
      const length = message.lengthInPrefix();
      isRefused = length > mostBytes;
      if (isRefused || message.size === PREFIX_BYTES + length) yield message.take();
    }
    if (isRefused) yield chunk;
  }
  if (message.size > 0) yield message.take();
}

/** Bytes of the message at `at` when it is complete; otherwise 0. */
function wholeLength(chunk: Uint8Array, at: number): number {
  const rest = chunk.length - at;
  if (rest < PREFIX_BYTES) return 0;
  const length = PREFIX_BYTES + new DataView(chunk.buffer, chunk.byteOffset + at).getUint32(1);
  return rest < length ? 0 : length;
}

/** A buffer that doubles when it is full, up to the needed size. */
function createGrowingBytes() {
  let bytes = Buffer.alloc(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    lengthInPrefix: () => bytes.readUInt32BE(1),
    add(more: Uint8Array, wanted: number) {
      if (size + more.length > bytes.length) {
        const twice = Math.max(FIRST_BYTES, 2 * bytes.length, size + more.length);
        const larger = Buffer.allocUnsafeSlow(size === 0 ? twice : Math.min(twice, wanted));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      bytes.set(more, size);
      size += more.length;
    },
    /** Returns all bytes; the next ones go into a new buffer. */
    take(): Uint8Array {
      const all = bytes.subarray(0, size);
      bytes = Buffer.alloc(0);
      size = 0;
      return all;
    },
  };
}
