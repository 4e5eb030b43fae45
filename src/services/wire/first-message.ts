import type { Readable } from "node:stream";
import { Code, type ConnectError } from "@connectrpc/connect";
import { messageTooLarge, refusal } from "../errors/error-info.js";
import { flagsFault, type Uncompressed } from "./message-framing.js";

/** The prefix of each message of gRPC, gRPC-Web and Connect streams: flags, and the length in four bytes. */
const PREFIX_BYTES = 5;

export interface FirstMessageLimits {
  readonly bytes: number;
  readonly ms: number;
  /** The call may continue to send messages after the first. */
  readonly isStream: boolean;
}

/**
 * Reads a body as far as its call can begin: to its end, to the end of the first message of a stream, or to `bytes`. Until then
 * a call costs a few listeners and what has come of it. One that ends in the middle is forgotten.
 *
 *   whole  gets a body that has ended;
 *   part   gets the bytes that came, with the rest;
 *   late   is called when neither came in time.
 */
export function readFirstMessage(
  stream: Readable,
  most: FirstMessageLimits,
  then: {
    readonly whole: (body: Buffer) => void;
    readonly part: (body: AsyncIterable<Uint8Array>) => void;
    readonly late: () => void;
  },
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let enough = most.bytes + 1;
  let isLengthKnown = !most.isStream;
  const stop = () => {
    clearTimeout(timer);
    stream.off("data", take).off("end", end).off("close", stop);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (!isLengthKnown && size >= PREFIX_BYTES) {
      isLengthKnown = true;
      enough = Math.min(enough, PREFIX_BYTES + joined(chunks).readUInt32BE(1));
    }
    if (size < enough) return;
    stop();
    stream.pause();
    // Whoever stops reading must not reset the stream: the answer comes first, then `unread-body.ts` resets it.
    then.part(chunksAndRest(chunks, stream.iterator({ destroyOnReturn: false })));
  };
  const end = () => {
    stop();
    then.whole(joined(chunks));
  };
  const late = () => {
    stop();
    then.late();
  };
  const timer = setTimeout(late, most.ms).unref();
  stream.on("data", take).once("end", end).once("close", stop);
}

/** The same bytes as a request body. */
export async function* chunksAndRest(
  chunks: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = [],
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
  yield* rest;
}

/** The error for a body that ended and is not a sequence of whole messages. */
export function errorOfMessages(
  bytes: Uint8Array,
  mostBytes: number,
  uncompressed: Uncompressed,
): ConnectError | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < body.length; ) {
    const fault = flagsFault(body[at], uncompressed);
    if (fault !== undefined) return fault;
    const rest = body.length - at - PREFIX_BYTES;
    if (rest < 0) return refusal("protocol error: incomplete envelope", Code.InvalidArgument, "MALFORMED_CALL");
    const length = body.readUInt32BE(at + 1);
    if (length > mostBytes) return messageTooLarge(mostBytes);
    if (rest < length)
      return refusal(
        `protocol error: promised ${length} bytes, received ${rest}`,
        Code.InvalidArgument,
        "MALFORMED_CALL",
      );
    at += PREFIX_BYTES + length;
  }
  return undefined;
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...more] = chunks;
  return more.length === 0 ? first : Buffer.concat(chunks);
}
